import type { AttemptToSend, Bill, CallMeter, SentAttempt } from '../../contract/calls.ts';
import { BudgetSpent } from '../../contract/errors.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { type Amount, added, mostSpent, type SpendingLog, worstCase } from './spendingLog.ts';

/** Caps of a run, its earlier sessions included. */
export interface Caps {
  readonly maxCostUsd: number | undefined;
  readonly maxTokens: number | undefined;
}

interface SpendingMeterOptions {
  readonly log: SpendingLog;
  readonly caps: Caps;
  /** What others have spent of the same budget; absent: nothing. */
  readonly spentElsewhere?: Amount;
  /** Aborted when no new call may begin. */
  readonly drain: AbortSignal;
  /** Told once a cap leaves no room for a call although none is in flight; it is to drain the run. */
  readonly onSpent: (reason: BudgetSpent) => void;
}

/**
 * Keeps what is spent and what is put aside below the caps. An attempt that finds no room waits for those in flight,
 * whose bills are mostly far below their worst case; when none is in flight and there is still no room, the budget is
 * spent.
 */
export class SpendingMeter implements CallMeter {
  readonly #options: SpendingMeterOptions;
  /** What the budget is kept by. */
  #spent: Amount;
  #billed: Amount;
  #asideUsd = 0;
  #asideTokens = 0;
  #inFlight = 0;
  /** Sent by this session. */
  #attempts = 0;
  #waiting: (() => void)[] = [];

  constructor(options: SpendingMeterOptions) {
    this.#options = options;
    const { log, spentElsewhere = { costUsd: 0, tokens: 0 } } = options;
    this.#spent = added(mostSpent(log.earlier), spentElsewhere);
    this.#billed = log.earlier;
    options.drain.addEventListener('abort', () => this.#wake(), { once: true });
  }

  get drain(): AbortSignal {
    return this.#options.drain;
  }

  /** What is spent of the budget: what has ended without a bill at its worst case, attempts in flight left out. */
  get spent(): Amount {
    return this.#spent;
  }

  /** What the run was billed, in earlier sessions too. */
  get billed(): Amount {
    return this.#billed;
  }

  /** Attempts sent and not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Attempts that this session sent. */
  get attempts(): number {
    return this.#attempts;
  }

  async admit(attempt: AttemptToSend, signal: AbortSignal): Promise<SentAttempt> {
    const worst = worstCase(attempt);
    await this.#takeRoom(worst, signal);
    this.#attempts++;
    const number = this.#options.log.sent(worst);
    try {
      // With a cap, what was sent must be known after a power cut; without one nothing depends on it.
      if (this.#isCapped) await this.#options.log.flush();
      signal.throwIfAborted();
    } catch (error) {
      this.#end(number, worst, attempt, { kind: 'nothing' });
      throw error;
    }
    let isOpen = true;
    return {
      end: (bill) => {
        if (!isOpen) return;
        isOpen = false;
        this.#end(number, worst, attempt, bill);
      },
    };
  }

  get #isCapped(): boolean {
    const { maxCostUsd, maxTokens } = this.#options.caps;
    return maxCostUsd !== undefined || maxTokens !== undefined;
  }

  /** Finding room and taking it is one step: nobody else may find the same room in between. */
  async #takeRoom(worst: Amount, signal: AbortSignal): Promise<void> {
    const { drain, onSpent } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      drain.throwIfAborted();
      const aside = { costUsd: this.#asideUsd, tokens: this.#asideTokens };
      const full = fullCap(this.#options.caps, this.spent, worst, aside);
      if (!full) return this.#putAside(worst, 1);
      if (this.#inFlight === 0) {
        const reason = full;
        onSpent(reason);
        throw reason;
      }
      await this.#change(signal);
    }
  }

  /** Resolves when an attempt has ended or the run drains. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#waiting.push(wake);
    });
  }

  #end(number: number, worst: Amount, attempt: AttemptToSend, bill: Bill): void {
    this.#putAside(worst, -1);
    const amount = amountOf(bill, worst, attempt);
    this.#spent = added(this.#spent, amount);
    if (bill.kind === 'unknown') this.#options.log.unbilled(number);
    else {
      this.#billed = added(this.#billed, amount);
      this.#options.log.billed(number, amount);
    }
    this.#wake();
  }

  #putAside({ costUsd, tokens }: Amount, sign: 1 | -1): void {
    this.#asideUsd += sign * costUsd;
    this.#asideTokens += sign * tokens;
    this.#inFlight += sign;
    // Sums of fractions drift; nothing is aside when nothing is in flight.
    if (this.#inFlight === 0) this.#asideUsd = 0;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

/** The error of the cap that has no room for an amount beside what is spent and put aside; undefined when there is room. */
export function fullCap(
  { maxCostUsd, maxTokens }: Caps,
  spent: Amount,
  next: Amount,
  aside: Amount = { costUsd: 0, tokens: 0 },
): BudgetSpent | undefined {
  if (maxCostUsd !== undefined && spent.costUsd + aside.costUsd + next.costUsd > maxCostUsd) {
    const message = `the budget is spent: $${spent.costUsd.toFixed(4)} of at most $${maxCostUsd}, and the next call may cost $${next.costUsd.toFixed(4)}`;
    return new BudgetSpent(message, { cap: { key: 'max_cost_usd', value: maxCostUsd } });
  }
  if (maxTokens !== undefined && spent.tokens + aside.tokens + next.tokens > maxTokens) {
    const message = `the budget is spent: ${spent.tokens} of at most ${maxTokens} tokens, and the next call may take ${next.tokens}`;
    return new BudgetSpent(message, { cap: { key: 'max_tokens', value: maxTokens } });
  }
  return undefined;
}

/** What an attempt takes of a budget: its worst case where its bill is not known. */
export function amountOf(bill: Bill, worst: Amount, { price, feeUsd }: AttemptToSend): Amount {
  if (bill.kind === 'nothing') return { costUsd: 0, tokens: 0 };
  // What is paid by the call has one price.
  if (bill.kind === 'unknown' || feeUsd !== undefined) return worst;
  const { prompt_tokens, completion_tokens } = bill.usage;
  return { costUsd: tokenCostUsd(bill.usage, price), tokens: prompt_tokens + completion_tokens };
}
