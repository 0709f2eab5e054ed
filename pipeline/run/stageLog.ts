import { mkdir, rm } from 'node:fs/promises';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RecordLine } from '../../schemas/run/recordLine.ts';
import type { StageCounts } from '../../schemas/run/stageFile.ts';
import type { CorpusOutcome } from '../contract/stage.ts';
import { onDisk } from '../files/diskError.ts';
import { IndexSet } from './indexSet.ts';
import { Journal } from './journal.ts';
import { scanJournal } from './scanJournal.ts';
import { type StagePaths, stagePaths } from './stagePaths.ts';
import { Tally } from './tally.ts';

/**
 * What a stage has done so far: its two journals, open for appending. Every input ends in exactly one line of one
 * of them; an input without a line is work still owed.
 */
export class StageLog {
  readonly #records: Journal;
  readonly #ledger: Journal;
  readonly #finished: IndexSet;
  readonly #tally: Tally;

  private constructor(records: Journal, ledger: Journal, finished: IndexSet, tally: Tally) {
    this.#records = records;
    this.#ledger = ledger;
    this.#finished = finished;
    this.#tally = tally;
  }

  /** Opens a stage's journals and reads what they hold; torn last lines are cut off. */
  static async open(runFolder: string, stage: string): Promise<StageLog> {
    const paths = stagePaths(runFolder, stage);
    await onDisk(paths.folder, () => mkdir(paths.folder, { recursive: true }));
    const finished = new IndexSet();
    const tally = new Tally();
    const recordBytes = await readRecords(paths, finished, tally);
    const ledgerBytes = await readLedger(paths, finished, tally);
    const records = await Journal.open(paths.records, recordBytes);
    const ledger = await Journal.open(paths.ledger, ledgerBytes);
    return new StageLog(records, ledger, finished, tally);
  }

  /** Inputs that have ended, of this session and earlier ones. */
  get finishedInputs(): number {
    return this.#tally.finished;
  }

  isFinished(index: number): boolean {
    return this.#finished.has(index);
  }

  /** Writes down what became of an input. An input that has ended already is a fault of the stage. */
  record({ index, recordId, taskId, outcome }: CorpusOutcome<unknown>): void {
    if (!this.#finished.add(index)) throw new Error(`input ${index} (${recordId}) ended twice`);
    this.#tally.add(outcome);
    if (outcome.kind === 'emit') {
      const { records } = outcome;
      const line: RecordLine = {
        index,
        count: records.length,
        input_id: recordId,
        task_id: taskId,
        records: [...records],
      };
      this.#records.append(line);
    } else this.#ledger.append(ledgerEntry(index, recordId, taskId, outcome));
  }

  /** The counts so far of a stage that `entered` inputs go into. */
  counts(entered: number): StageCounts {
    return this.#tally.counts(entered);
  }

  /** Resolves when the disk keeps up. */
  async ready(): Promise<void> {
    await this.#records.ready();
    await this.#ledger.ready();
  }

  /** Resolves once every outcome recorded so far is on disk. */
  async flush(): Promise<void> {
    await this.#records.flush();
    await this.#ledger.flush();
  }

  async close(): Promise<void> {
    const closed = await Promise.allSettled([this.#records.close(), this.#ledger.close()]);
    const failed = closed.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

/** Removes everything that a stage has done. */
export async function discardStage(runFolder: string, stage: string): Promise<void> {
  const { folder } = stagePaths(runFolder, stage);
  await onDisk(folder, () => rm(folder, { recursive: true, force: true }));
}

const linePrefix = /^\{"index":(\d+),"count":(\d+),/;

/** `index` and `count` of a record line, from its first bytes; throws on a line that no journal of ours wrote. */
export function parseLinePrefix(bytes: Buffer): { index: number; count: number } {
  const match = linePrefix.exec(bytes.subarray(0, 64).toString('latin1'));
  if (!match) throw new Error(`not a record line: ${bytes.subarray(0, 64).toString('utf8')}`);
  return { index: Number(match[1]), count: Number(match[2]) };
}

function readRecords(paths: StagePaths, finished: IndexSet, tally: Tally): Promise<number> {
  return scanJournal(paths.records, ({ bytes }) => {
    const { index, count } = parseLinePrefix(bytes);
    finished.add(index);
    tally.emitted(count);
  });
}

function readLedger(paths: StagePaths, finished: IndexSet, tally: Tally): Promise<number> {
  return scanJournal(paths.ledger, ({ bytes }) => {
    const entry = JSON.parse(bytes.toString('utf8')) as LedgerEntry;
    finished.add(entry.index);
    if (entry.kind === 'drop') tally.dropped(entry.reason);
    else tally.failed(entry.failure.cause);
  });
}

function ledgerEntry(
  index: number,
  record_id: string,
  task_id: string,
  outcome: Exclude<CorpusOutcome<unknown>['outcome'], { kind: 'emit' }>,
): LedgerEntry {
  return { index, record_id, task_id, ...outcome };
}
