import { join } from 'node:path';
import { Journal } from '../../base/journal/journal.ts';
import { readLines } from '../../base/journal/readLines.ts';
import { scanJournal, type WholeLine } from '../../base/journal/scanJournal.ts';
import { parseSealed } from '../../base/journal/sealed.ts';
import { UserError } from '../../base/userError.ts';
import type { SpendingLine } from '../../schemas/run/journalLines.ts';
import { spendingLineSchema } from '../../schemas/run/journalLines.ts';
import type { Amount } from './worstCase.ts';

const DAMAGED = 'what was spent is not known; restore the file, or remove it to count from zero';

const lineKeys = spendingLineSchema.options.flatMap(({ shape }) => Object.keys(shape));

/** What a run has spent. */
export interface Spent extends Amount {
  /** Attempts that were sent. */
  readonly attempts: number;
  /** Attempts whose bill never came: they count as their worst case. */
  readonly unbilled: number;
}

/** The log of what a run spends, `spending.jsonl`, open for entries. */
export class SpendingLog {
  readonly #journal: Journal;
  readonly #earlier: Spent;
  #next: number;

  private constructor(journal: Journal, earlier: Spent, next: number) {
    this.#journal = journal;
    this.#earlier = earlier;
    this.#next = next;
  }

  /** Opens the log. Throws `UserError` when a line before the last is damaged. */
  static async open(runFolder: string): Promise<SpendingLog> {
    const path = spendingLogPath(runFolder);
    const sum = new Sum();
    const visit = ({ bytes, number }: WholeLine) => sum.add(parseLine(path, number, bytes));
    const bytes = await scanJournal(path, visit, DAMAGED);
    return new SpendingLog(await Journal.open(path, bytes), sum.spent(), sum.nextAttempt);
  }

  /** What earlier sessions spent. */
  get earlier(): Spent {
    return this.#earlier;
  }

  /** Enters an attempt that is about to be sent, and returns its number. */
  sent({ costUsd, tokens }: Amount): number {
    const attempt = this.#next++;
    this.#append({ kind: 'sent', attempt, cost_usd: costUsd, tokens });
    return attempt;
  }

  billed(attempt: number, { costUsd, tokens }: Amount): void {
    this.#append({ kind: 'billed', attempt, cost_usd: costUsd, tokens });
  }

  /** Resolves once every entry so far is on disk. */
  flush(): Promise<void> {
    return this.#journal.flush();
  }

  close(): Promise<void> {
    return this.#journal.close();
  }

  #append(line: SpendingLine): void {
    this.#journal.append(line);
  }
}

/** What a run has spent so far; of a run under way, what was sent and not billed yet counts as its worst case. */
export async function readSpent(runFolder: string): Promise<Spent> {
  const path = spendingLogPath(runFolder);
  const sum = new Sum();
  for await (const { bytes, number, whole } of readLines(path)) {
    if (whole) sum.add(parseLine(path, number, bytes));
  }
  return sum.spent();
}

function spendingLogPath(runFolder: string): string {
  return join(runFolder, 'spending.jsonl');
}

function parseLine(path: string, number: number, bytes: Buffer): SpendingLine {
  try {
    return spendingLineSchema.parse(parseSealed(bytes, lineKeys));
  } catch (error) {
    throw new UserError(`${path}:${number}: damaged; ${DAMAGED}`, { cause: error });
  }
}

/** Adds up entries; holds only attempts without a bill. */
class Sum {
  #costUsd = 0;
  #tokens = 0;
  #attempts = 0;
  readonly #open = new Map<number, Amount>();
  nextAttempt = 0;

  add(line: SpendingLine): void {
    const amount = { costUsd: line.cost_usd, tokens: line.tokens };
    if (line.kind === 'sent') {
      this.#attempts++;
      this.nextAttempt = Math.max(this.nextAttempt, line.attempt + 1);
      this.#open.set(line.attempt, amount);
      return;
    }
    this.#open.delete(line.attempt);
    this.#costUsd += amount.costUsd;
    this.#tokens += amount.tokens;
  }

  spent(): Spent {
    const open = [...this.#open.values()];
    return {
      costUsd: open.reduce((sum, { costUsd }) => sum + costUsd, this.#costUsd),
      tokens: open.reduce((sum, { tokens }) => sum + tokens, this.#tokens),
      attempts: this.#attempts,
      unbilled: open.length,
    };
  }
}
