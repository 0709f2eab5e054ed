import { createPace } from '../../../base/batches.ts';
import { type Amount, worstCase } from '../../../calls/budget/spendingLog.ts';
import { amountOf, type Caps, fullCap } from '../../../calls/budget/spendingMeter.ts';
import type { AttemptToSend, CallMeter, RateLimit, SentAttempt } from '../../../contract/calls.ts';
import { BudgetSpent } from '../../../contract/errors.ts';
import { type SharedDatabase, STATEMENT_EVERY_MS } from './sharedDatabase.ts';
import type { SharedTurns } from './sharedTurns.ts';

/** Attempts per statement. */
const AT_ONCE = 256;
/** Polling interval for room that other workers may have released. */
const LOOK_MS = 100;

const SETTLE = `
  SELECT admitted, is_over, total_usd, total_tokens FROM settle($1, $2, $3, $4, $5, $6, $7, $8::float8[], $9::float8[])
`;

interface SharedMeterOptions {
  readonly database: SharedDatabase;
  readonly worker: string;
  readonly caps: Caps;
  readonly turns: SharedTurns;
  /** Aborted to start no new calls. */
  readonly drain: AbortSignal;
  /** Called once a cap leaves no room and no worker has a call in flight; must drain the run. */
  readonly onSpent: (reason: BudgetSpent) => void;
  /** Called with the worst case of an unbilled attempt of this process, which the database counts as spent. */
  readonly onUnbilled: (worst: Amount) => void;
}

interface Waiting {
  readonly worst: Amount;
  readonly call: PromiseWithResolvers<void>;
  isGone: boolean;
}

interface Ended {
  readonly worst: Amount;
  readonly billed: Amount;
}

/**
 * Budget shared by many machines. The possible cost of an attempt is reserved in the database before sending, so calls
 * in flight of a killed worker are counted. Concurrent attempts and bills share a statement.
 */
export class SharedMeter implements CallMeter {
  readonly #options: SharedMeterOptions;
  #waiting: Waiting[] = [];
  #ended: Ended[] = [];
  #settling: Promise<void> | undefined;
  readonly #pace = createPace(STATEMENT_EVERY_MS);
  #batch = 0;
  #inFlight = 0;
  #attempts = 0;
  #spent: Amount = { costUsd: 0, tokens: 0 };
  /** Wakes attempts that wait for room. */
  #wake: (() => void) | undefined;

  constructor(options: SharedMeterOptions) {
    this.#options = options;
    options.drain.addEventListener('abort', () => this.#refuse(options.drain.reason), { once: true });
  }

  get drain(): AbortSignal {
    return this.#options.drain;
  }

  /** Amount billed to all workers as of the last statement; unbilled attempts count as their worst case. */
  get billed(): Amount {
    return this.#spent;
  }

  /** Attempts of this process in flight. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Attempts sent by this process. */
  get attempts(): number {
    return this.#attempts;
  }

  async admit(attempt: AttemptToSend, signal: AbortSignal): Promise<SentAttempt> {
    signal.throwIfAborted();
    this.drain.throwIfAborted();
    const worst = worstCase(attempt);
    await this.#room(worst, signal);
    this.#attempts++;
    this.#inFlight++;
    let isOpen = true;
    return {
      end: (bill) => {
        if (!isOpen) return;
        isOpen = false;
        this.#inFlight--;
        if (bill.kind === 'unknown') this.#options.onUnbilled(worst);
        this.#end({ worst, billed: amountOf(bill, worst, attempt) });
      },
    };
  }

  turn(limit: RateLimit, signal: AbortSignal): Promise<void> {
    return this.#options.turns.take(limit, signal);
  }

  /** Resolves once every bill is in the database, or bills no longer count. */
  async close(): Promise<void> {
    while (this.#settling) await this.#settling;
  }

  async #room(worst: Amount, signal: AbortSignal): Promise<void> {
    const call = Promise.withResolvers<void>();
    const waiting: Waiting = { worst, call, isGone: false };
    const onAbort = () => {
      waiting.isGone = true;
      call.reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(waiting);
    this.#settle();
    try {
      await call.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #end(ended: Ended): void {
    this.#ended.push(ended);
    this.#wake?.();
    this.#settle();
  }

  #refuse(reason: unknown): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) {
      one.isGone = true;
      one.call.reject(reason);
    }
    this.#wake?.();
  }

  #settle(): void {
    this.#settling ??= this.#settleAll()
      .catch((error: unknown) => {
        this.#ended = [];
        this.#refuse(error);
      })
      .finally(() => {
        this.#settling = undefined;
        if (this.#waiting.length + this.#ended.length > 0) this.#settle();
      });
  }

  async #settleAll(): Promise<void> {
    await this.#pace();
    this.#waiting = this.#waiting.filter(({ isGone }) => !isGone);
    const asked = this.#waiting.slice(0, AT_ONCE);
    const ended = this.#ended;
    this.#ended = [];
    const { admitted, isOver } = await this.#send(ended, asked);
    const refused = this.#waiting.length > 0 && admitted < asked.length;
    for (const waiting of asked.slice(0, admitted)) {
      // Cancelled in the meantime; nothing was sent.
      if (waiting.isGone) this.#ended.push({ worst: waiting.worst, billed: { costUsd: 0, tokens: 0 } });
      else waiting.call.resolve();
    }
    this.#waiting = this.#waiting.filter((waiting) => !asked.slice(0, admitted).includes(waiting));
    if (refused && isOver) this.#spend(asked[admitted]!.worst);
    else if (refused && this.#ended.length === 0) await this.#change();
  }

  async #send(ended: readonly Ended[], asked: readonly Waiting[]) {
    const sum = (of: (ended: Ended) => number) => ended.reduce((total, one) => total + of(one), 0);
    const [row] = await this.#options.database.query<SettleRow>(SETTLE, [
      this.#options.worker,
      ++this.#batch,
      ended.length,
      sum(({ worst }) => worst.costUsd),
      sum(({ worst }) => worst.tokens),
      sum(({ billed }) => billed.costUsd),
      sum(({ billed }) => billed.tokens),
      asked.map(({ worst }) => worst.costUsd),
      asked.map(({ worst }) => worst.tokens),
    ]);
    this.#spent = { costUsd: row!.total_usd, tokens: row!.total_tokens };
    return { admitted: row!.admitted, isOver: row!.is_over };
  }

  #spend(next: Amount): void {
    const reason = fullCap(this.#options.caps, this.#spent, next) ?? new BudgetSpent('the budget is spent');
    this.#options.onSpent(reason);
    this.#refuse(reason);
  }

  /** Resolves when an attempt has ended, the run drains, or other workers may have released room. */
  async #change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, LOOK_MS);
    await promise;
    clearTimeout(timer);
    this.#wake = undefined;
  }
}

interface SettleRow {
  readonly admitted: number;
  readonly is_over: boolean;
  readonly total_usd: number;
  readonly total_tokens: number;
}
