import type { AttemptToSend, Bill, CallMeter, SentAttempt } from '../../contract/calls.ts';
import { BudgetSpent } from '../../contract/errors.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { type Amount, added, mostSpent, type SpendingLog, worstCase } from './spendingLog.ts';

/** Caps of a run over all sessions. */
export interface Caps {
  readonly maxCostUsd: number | undefined;
  readonly maxTokens: number | undefined;
}

interface SpendingMeterOptions {
  readonly log: SpendingLog;
  readonly caps: Caps;
  /** Spending of others from the same budget; absent: nothing. */
  readonly spentElsewhere?: Amount;
  /** Aborted when no new call may start. */
  readonly drain: AbortSignal;
  /** Called once a cap has no room for a call although none is in flight; it should drain the run. */
  readonly onSpent: (reason: BudgetSpent) => void;
}

/**
 * Keeps spent and reserved amounts below the caps. An attempt without room waits for those in flight, whose bills are
 * mostly far below their worst case; if none is in flight and there is still no room, the budget is spent.
 */
export class SpendingMeter implements CallMeter {
  readonly #options: SpendingMeterOptions;
  /** Amount counted against the budget. */
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

  /** Spent budget: attempts without a bill at their worst case, those in flight excluded. */
  get spent(): Amount {
    return this.#spent;
  }

  /** Billed amounts of the run, earlier sessions included. */
  get billed(): Amount {
    return this.#billed;
  }

  /** Attempts in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Attempts sent by this session. */
  get attempts(): number {
    return this.#attempts;
  }

  async admit(attempt: AttemptToSend, signal: AbortSignal): Promise<SentAttempt> {
    const worst = worstCase(attempt);
    await this.#takeRoom(worst, signal);
    this.#attempts++;
    const number = this.#options.log.sent(worst);
    try {
      // With a cap, sent attempts must survive a power cut; without one nothing depends on them.
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

  /** Finds and takes room in one step, so that no other attempt takes the same room in between. */
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

  /** Resolves when an attempt ends or the run drains. */
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
    // Sums of fractions drift; nothing is reserved when nothing is in flight.
    if (this.#inFlight === 0) this.#asideUsd = 0;
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}

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

/** Amount of an attempt: its worst case if the bill is unknown. */
export function amountOf(bill: Bill, worst: Amount, { price, feeUsd }: AttemptToSend): Amount {
  if (bill.kind === 'nothing') return { costUsd: 0, tokens: 0 };
  // Services billed per call have one price.
  if (bill.kind === 'unknown' || feeUsd !== undefined) return worst;
  const { prompt_tokens, completion_tokens } = bill.usage;
  return { costUsd: tokenCostUsd(bill.usage, price), tokens: prompt_tokens + completion_tokens };
}
