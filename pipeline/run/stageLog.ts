import { mkdir, rm } from 'node:fs/promises';
import { Bitset } from '../../base/bitset.ts';
import { onDisk } from '../../base/files/diskError.ts';
import { Journal } from '../../base/journal/journal.ts';
import { scanJournal } from '../../base/journal/scanJournal.ts';
import type { CorpusOutcome } from '../../contract/stage.ts';
import { type FailureCause, isOfPlayer } from '../../schemas/failureCauses.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RecordLine } from '../../schemas/run/journalLines.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';
import type { LinePlace } from './lineIndex.ts';
import { stagePaths } from './stageFiles.ts';
import { parseLedgerLine, parseLinePrefix } from './stageJournals.ts';
import type { OutcomeLog } from './stageRunner.ts';
import { Tally } from './tally.ts';

/** True if cached answers would reproduce the failure, so that a retry needs new ones. Timeouts do not count. */
const isSaidByModel = (cause: FailureCause) =>
  cause === 'unscored' || (isOfPlayer(cause) && cause !== 'budget_time');

interface JournalWatch {
  /** Called once an outcome is on disk; `place` is the line position of a passed input. */
  durable(ended: CorpusOutcome<unknown>, place: LinePlace | undefined): void;
  /** Called if an outcome cannot be written. */
  broken(error: unknown): void;
}

interface JournalEnds {
  readonly finished: Bitset;
  readonly tally: Tally;
  /** Input -> number of retries caused by model answers. */
  readonly attempts: Map<number, number>;
}

/**
 * Journals of a stage, open for appending. Every input ends in exactly one line of one journal, unless its failure is
 * retried; inputs without a line are pending.
 */
export class StageLog implements OutcomeLog {
  readonly #journals: { readonly records: Journal; readonly ledger: Journal };
  readonly #ends: JournalEnds;
  readonly #watch: JournalWatch | undefined;
  /** Resolved once all written outcomes were reported, per journal in line order. */
  readonly #told = { records: Promise.resolve(), ledger: Promise.resolve() };

  private constructor(
    journals: { readonly records: Journal; readonly ledger: Journal },
    ends: JournalEnds,
    watch: JournalWatch | undefined,
  ) {
    this.#journals = journals;
    this.#ends = ends;
    this.#watch = watch;
  }

  /** Opens a stage's journals and reads them; torn last lines are cut off. */
  static async open(runFolder: string, stage: string, watch?: JournalWatch): Promise<StageLog> {
    const paths = stagePaths(runFolder, stage);
    await onDisk(paths.folder, () => mkdir(paths.folder, { recursive: true }));
    const progress = { finished: new Bitset(), tally: new Tally(), attempts: new Map<number, number>() };
    // The ledger is read first, since the final outcome of a retried input may be among the records.
    const ledgerBytes = await readLedger(runFolder, stage, progress);
    const recordBytes = await readRecords(runFolder, stage, progress);
    const records = await Journal.open(paths.records, recordBytes);
    const ledger = await Journal.open(paths.ledger, ledgerBytes);
    return new StageLog({ records, ledger }, progress, watch);
  }

  get finishedInputs(): number {
    return this.#ends.tally.finished;
  }

  /** Indexes of finished inputs in order. */
  finishedIndexes(): Iterable<number> {
    return this.#ends.finished.values();
  }

  isFinished(index: number): boolean {
    return this.#ends.finished.has(index);
  }

  attemptsAt(index: number): number {
    return this.#ends.attempts.get(index) ?? 0;
  }

  /** Records the outcome of an input. A second outcome is an error of the stage. */
  record(ended: CorpusOutcome<unknown>): void {
    const { index, recordId, taskId, outcome } = ended;
    if (!this.#ends.finished.add(index)) throw new Error(`input ${index} (${recordId}) ended twice`);
    this.#ends.tally.add(outcome);
    if (outcome.kind === 'emit') {
      const { records } = outcome;
      const count = records.length;
      const line: RecordLine = { index, count, input_id: recordId, task_id: taskId, records: [...records] };
      const offset = this.#journals.records.end;
      const length = this.#journals.records.append(line);
      this.#tell('records', ended, { index, count, offset, length });
    } else {
      this.#journals.ledger.append(ledgerEntry(ended, outcome));
      this.#tell('ledger', ended);
    }
  }

  /** Counts so far, given the number of inputs. */
  counts(entered: number): StageCounts {
    return this.#ends.tally.counts(entered);
  }

  async ready(): Promise<void> {
    for (const journal of Object.values(this.#journals)) await journal.ready();
  }

  async flush(): Promise<void> {
    for (const journal of Object.values(this.#journals)) await journal.flush();
    await Promise.all([this.#told.records, this.#told.ledger]);
  }

  async close(): Promise<void> {
    const closed = await Promise.allSettled(Object.values(this.#journals).map((journal) => journal.close()));
    const failed = closed.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  #tell(journal: 'records' | 'ledger', ended: CorpusOutcome<unknown>, place?: LinePlace): void {
    const watch = this.#watch;
    if (!watch) return;
    this.#told[journal] = this.#journals[journal].flush().then(
      () => watch.durable(ended, place),
      (error: unknown) => watch.broken(error),
    );
  }
}

/** Deletes all output of a stage. */
export async function discardStage(runFolder: string, stage: string): Promise<void> {
  const { folder } = stagePaths(runFolder, stage);
  await onDisk(folder, () => rm(folder, { recursive: true, force: true }));
}

function readRecords(runFolder: string, stage: string, { finished, tally }: JournalEnds): Promise<number> {
  return scanJournal(stagePaths(runFolder, stage).records, (line) => {
    const { index, count } = parseLinePrefix(runFolder, stage, line);
    finished.add(index);
    tally.emitted(count);
  });
}

function readLedger(
  runFolder: string,
  stage: string,
  { finished, tally, attempts }: JournalEnds,
): Promise<number> {
  return scanJournal(stagePaths(runFolder, stage).ledger, (line) => {
    const entry = parseLedgerLine(runFolder, stage, line);
    if (entry.kind === 'retry') {
      finished.delete(entry.index);
      tally.takeBack(entry.cause);
      if (isSaidByModel(entry.cause)) attempts.set(entry.index, (attempts.get(entry.index) ?? 0) + 1);
      return;
    }
    finished.add(entry.index);
    if (entry.kind === 'drop') tally.dropped(entry.reason);
    else tally.failed(entry.failure.cause);
  });
}

function ledgerEntry(
  { index, recordId, taskId, rollout, repairs }: Omit<CorpusOutcome<unknown>, 'outcome'>,
  outcome: Exclude<CorpusOutcome<unknown>['outcome'], { kind: 'emit' }>,
): LedgerEntry {
  return {
    index,
    record_id: recordId,
    task_id: taskId,
    ...(rollout !== undefined && { rollout }),
    ...(repairs !== undefined && { repairs }),
    ...outcome,
  };
}
