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

/** Whether the same answers would end in this failure again: another try asks for new ones. Time is no answer's. */
const isSaidByModel = (cause: FailureCause) =>
  cause === 'unscored' || (isOfPlayer(cause) && cause !== 'budget_time');

interface JournalWatch {
  /** Told of an outcome once it is on disk; `place` is that of the line of an input that went on. */
  durable(ended: CorpusOutcome<unknown>, place: LinePlace | undefined): void;
  /** Told why an outcome will never be on disk. */
  broken(error: unknown): void;
}

interface JournalEnds {
  readonly finished: Bitset;
  readonly tally: Tally;
  /** Input -> how often it was pending again because of what a model had said. */
  readonly attempts: Map<number, number>;
}

/**
 * What a stage has done so far: its two journals, open for appending. Every input ends in exactly one line of one
 * of them, until a failure is taken back; an input without a line is work still pending.
 */
export class StageLog implements OutcomeLog {
  readonly #journals: { readonly records: Journal; readonly ledger: Journal };
  readonly #ends: JournalEnds;
  readonly #watch: JournalWatch | undefined;
  /** Resolve once all that is on disk was told, by journal: the order is that of the lines. */
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

  /** Opens a stage's journals and reads what they hold; torn last lines are cut off. */
  static async open(runFolder: string, stage: string, watch?: JournalWatch): Promise<StageLog> {
    const paths = stagePaths(runFolder, stage);
    await onDisk(paths.folder, () => mkdir(paths.folder, { recursive: true }));
    const progress = { finished: new Bitset(), tally: new Tally(), attempts: new Map<number, number>() };
    // The ledger first: an input that was pending again and went well has its last word among the records.
    const ledgerBytes = await readLedger(runFolder, stage, progress);
    const recordBytes = await readRecords(runFolder, stage, progress);
    const records = await Journal.open(paths.records, recordBytes);
    const ledger = await Journal.open(paths.ledger, ledgerBytes);
    return new StageLog({ records, ledger }, progress, watch);
  }

  /** Inputs that have ended, of this session and earlier ones. */
  get finishedInputs(): number {
    return this.#ends.tally.finished;
  }

  /** The places of inputs that have ended, in their order. */
  finishedIndexes(): Iterable<number> {
    return this.#ends.finished.values();
  }

  isFinished(index: number): boolean {
    return this.#ends.finished.has(index);
  }

  /** How often an input was pending again because of what a model had said. */
  attemptsAt(index: number): number {
    return this.#ends.attempts.get(index) ?? 0;
  }

  /** Writes down what became of an input. An input that has ended already is a fault of the stage. */
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

  /** The counts so far of a stage that `entered` inputs go into. */
  counts(entered: number): StageCounts {
    return this.#ends.tally.counts(entered);
  }

  /** Resolves when the disk keeps up. */
  async ready(): Promise<void> {
    for (const journal of Object.values(this.#journals)) await journal.ready();
  }

  /** Resolves once every outcome recorded so far is on disk. */
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

/** Removes everything that a stage has done. */
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
