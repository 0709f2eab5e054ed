import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { Journal } from '../../base/journal/journal.ts';
import { readLines } from '../../base/journal/readLines.ts';
import { scanJournal, type WholeLine } from '../../base/journal/scanJournal.ts';
import { parseSealed } from '../../base/journal/sealed.ts';
import { UserError } from '../../base/userError.ts';
import type { AttemptToSend } from '../../contract/calls.ts';
import { type SpendingLine, spendingLineSchema } from '../../schemas/run/journalLines.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';

const DAMAGED = 'what was spent is not known; restore the file, or remove it to count from zero';

/** Billed amounts of a run. */
export interface Spent extends Amount {
  /** Attempts that were sent. */
  readonly attempts: number;
  /** Attempts without a bill, and the maximum that they may add. */
  readonly unbilled: Amount & { readonly requests: number };
}

/** Maximum that a run may have spent; budgets use it. */
export function mostSpent({ costUsd, tokens, unbilled }: Spent): Amount {
  return { costUsd: costUsd + unbilled.costUsd, tokens: tokens + unbilled.tokens };
}

/** Log of a run's spending, `spending.jsonl`, open for entries. */
export class SpendingLog {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #earlier: Spent;
  #next: number;

  private constructor(journal: Journal, clock: Clock, { earlier, next }: { earlier: Spent; next: number }) {
    this.#journal = journal;
    this.#clock = clock;
    this.#earlier = earlier;
    this.#next = next;
  }

  /** Opens the log. Throws `UserError` if a line before the last is damaged. */
  static async open(runFolder: string, clock: Clock): Promise<SpendingLog> {
    const path = spendingLogPath(runFolder);
    const sum = new Sum();
    const visit = ({ bytes, number }: WholeLine) => sum.add(parseLine(path, number, bytes));
    const bytes = await scanJournal(path, visit, DAMAGED);
    const seen = { earlier: sum.spent(), next: sum.nextAttempt };
    return new SpendingLog(await Journal.open(path, bytes), clock, seen);
  }

  /** Spending of earlier sessions. */
  get earlier(): Spent {
    return this.#earlier;
  }

  /** Records an attempt about to be sent, and returns its number. */
  sent({ costUsd, tokens }: Amount): number {
    const attempt = this.#next++;
    this.#append({ kind: 'sent', attempt, cost_usd: costUsd, tokens });
    return attempt;
  }

  billed(attempt: number, { costUsd, tokens }: Amount): void {
    this.#append({ kind: 'billed', attempt, cost_usd: costUsd, tokens, at: this.#now() });
  }

  /** Records that an attempt ended and its cost will never be known. */
  unbilled(attempt: number): void {
    this.#append({ kind: 'unbilled', attempt });
  }

  /** Records what the workers of a run sent since the last entry, with attempts in flight at their worst case. */
  workersSpent(attempts: number, { costUsd, tokens }: Amount): void {
    this.#append({ kind: 'workers', attempts, cost_usd: costUsd, tokens, at: this.#now() });
  }

  /** Records that a worker's attempt ended without a bill: its worst case was, or will be, recorded as spent. */
  workersUnbilled({ costUsd, tokens }: Amount): void {
    const at = this.#now();
    this.#append({ kind: 'workers', attempts: 0, cost_usd: -costUsd, tokens: -tokens, unbilled: 1, at });
  }

  /** Resolves once every entry so far is on disk. */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }

  #append(line: SpendingLine): void {
    this.#journal.append(line);
  }
}

/** Billed amounts of a run so far; attempts in flight of an active run count as unbilled. */
export async function readSpent(runFolder: string): Promise<Spent> {
  const path = spendingLogPath(runFolder);
  const sum = new Sum();
  for await (const { bytes, number, whole } of readLines(path, 0, runFolder)) {
    if (whole) sum.add(parseLine(path, number, bytes));
  }
  return sum.spent();
}

function spendingLogPath(runFolder: string): string {
  return join(runFolder, 'spending.jsonl');
}

function parseLine(path: string, number: number, bytes: Buffer): SpendingLine {
  try {
    return spendingLineSchema.parse(parseSealed(bytes));
  } catch (error) {
    throw new UserError(`${path}:${number}: damaged; ${DAMAGED}`, { cause: error });
  }
}

const nothing: Amount = { costUsd: 0, tokens: 0 };

export function added(a: Amount, b: Amount): Amount {
  return { costUsd: a.costUsd + b.costUsd, tokens: a.tokens + b.tokens };
}

/** Sums entries; stores only open attempts. */
class Sum {
  #billed = nothing;
  #unbilled = { ...nothing, requests: 0 };
  #attempts = 0;
  readonly #open = new Map<number, Amount>();
  nextAttempt = 0;

  add(line: SpendingLine): void {
    if (line.kind === 'unbilled') {
      this.#withoutBill(line.attempt);
      return;
    }
    const amount = { costUsd: line.cost_usd, tokens: line.tokens };
    if (line.kind === 'sent') {
      this.#attempts++;
      this.nextAttempt = Math.max(this.nextAttempt, line.attempt + 1);
      this.#open.set(line.attempt, amount);
      return;
    }
    this.#billed = added(this.#billed, amount);
    if (line.kind === 'billed') this.#open.delete(line.attempt);
    else {
      this.#attempts += line.attempts;
      if (line.unbilled)
        this.#addUnbilled({ costUsd: -amount.costUsd, tokens: -amount.tokens }, line.unbilled);
    }
  }

  spent(): Spent {
    for (const attempt of [...this.#open.keys()]) this.#withoutBill(attempt);
    return { ...this.#billed, attempts: this.#attempts, unbilled: this.#unbilled };
  }

  #withoutBill(attempt: number): void {
    const worst = this.#open.get(attempt);
    if (!worst) return;
    this.#open.delete(attempt);
    this.#addUnbilled(worst, 1);
  }

  #addUnbilled(worst: Amount, requests: number): void {
    this.#unbilled = { ...added(this.#unbilled, worst), requests: this.#unbilled.requests + requests };
  }
}

/** Actual or possible cost. */
export interface Amount {
  readonly costUsd: number;
  /** Tokens of prompt and answer. */
  readonly tokens: number;
}

/** Tokens that a chat template adds by itself: a preamble for tools, the date, the opened turn. */
const TEMPLATE_TOKENS = 1_000;
/** Tokens that a chat template adds around each message. */
const MESSAGE_TOKENS = 16;

/**
 * Maximum cost of an attempt. No tokenizer in use has a token shorter than one byte, so the body's bytes bound the
 * prompt; `max_tokens` bounds the answer. Without it, or without a price, there is no bound.
 */
export function worstCase(attempt: AttemptToSend): Amount {
  if (attempt.feeUsd !== undefined) return { costUsd: attempt.feeUsd, tokens: 0 };
  const { price, bodyBytes, imageTokens = 0, messages, maxTokens } = attempt;
  const prompt = bodyBytes + imageTokens + messages * MESSAGE_TOKENS + TEMPLATE_TOKENS;
  const completion = maxTokens ?? 0;
  const uncached = { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: 0 };
  const cached = { ...uncached, cached_tokens: prompt };
  const costUsd = Math.max(tokenCostUsd(uncached, price), tokenCostUsd(cached, price));
  return { costUsd, tokens: prompt + completion };
}
