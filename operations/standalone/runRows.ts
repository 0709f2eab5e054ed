import { GrowingColumn } from '../../base/growingColumn.ts';
import type { CorpusOutcome, StageOutcome } from '../../contract/stage.ts';
import {
  type OutcomeLog,
  type RecordInputs,
  recordStream,
  runRecordStage,
} from '../../pipeline/run/stageRunner.ts';
import { Tally } from '../../pipeline/run/tally.ts';
import type { DecidedRow, OutputFiles, RowPlace } from './outputFiles.ts';
import { leavesAtOnce, type OnBadRow, type RowRecord, type RowStage, readRow } from './rowStage.ts';
import { rowIdentity, type SourceRow } from './sourceRow.ts';

/** What became of the rows. `in = kept + dropped + failed`. */
export interface RowOutcomes {
  readonly rows_in: number;
  readonly kept: number;
  /** Rows written: kept ones, each as often as it is repeated. */
  readonly rows_out: number;
  /** Drop reason -> rows, the most frequent first. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Failure cause -> rows. */
  readonly failed: Readonly<Record<string, number>>;
}

interface RunRowsOptions {
  readonly output: OutputFiles;
  readonly onBadRow: OnBadRow;
  /** Aborted to stop. */
  readonly signal: AbortSignal;
}

/**
 * Runs a stage over rows as a run does over records, writes the rows that stay and notes what became of the others.
 *
 * @param rows begin again whenever they are iterated, for a stage that sees all rows
 * @throws UserError for a bad row, unless such rows are dropped
 */
export async function runRows<T extends RowRecord>(
  rows: AsyncIterable<SourceRow>,
  stage: RowStage<T>,
  options: RunRowsOptions,
): Promise<RowOutcomes> {
  const { signal } = options;
  const work = new RowWork(rows, stage, options);
  if (stage.kind === 'record')
    await runRecordStage(stage.stage, { inputs: work, log: work }, { signal, drain: signal });
  else await recordStream(stage.stage.run(work.records(), { signal }), work, signal);
  if (!leavesAtOnce(stage)) await work.copy();
  return work.counts();
}

/** A row that was decided, and what is written of it: absent where rows are read again to be written. */
type Decided = DecidedRow & { readonly row?: SourceRow };

/** The rows of a command as a stage's inputs, and its files as the stage's log. */
class RowWork<T extends RowRecord> implements RecordInputs, OutcomeLog {
  readonly #rows: AsyncIterable<SourceRow>;
  readonly #stage: RowStage<T>;
  readonly #options: RunRowsOptions;
  readonly #leavesAtOnce: boolean;
  readonly #tally = new Tally();
  /** Rows whose records are being decided, by the records' places. */
  readonly #underWay = new Map<number, SourceRow>();
  /** The same where rows are read again. */
  readonly #places: RowPlace[] = [];
  /** Rows that are not noted yet, by their places. */
  readonly #decided = new Map<number, Decided>();
  /** How often each row is to be written, by its place. */
  readonly #times = new GrowingColumn(Uint32Array);
  #rowsOut = 0;
  #readings = 0;
  #noted = 0;
  count = 0;
  finishedInputs = 0;

  constructor(rows: AsyncIterable<SourceRow>, stage: RowStage<T>, options: RunRowsOptions) {
    this.#rows = rows;
    this.#stage = stage;
    this.#options = options;
    this.#leavesAtOnce = leavesAtOnce(stage);
  }

  isFinished(): boolean {
    return false;
  }

  attemptsAt(): number {
    return 0;
  }

  read<R>(): AsyncIterable<{ readonly index: number; readonly record: R }> {
    return this.#read() as AsyncIterable<{ readonly index: number; readonly record: never }>;
  }

  /** The records alone, from the start whenever they are iterated. */
  records(): AsyncIterable<T> {
    const read = () => this.#read();
    return {
      async *[Symbol.asyncIterator]() {
        for await (const { record } of read()) yield record;
      },
    };
  }

  record({ index, recordId, taskId, outcome }: CorpusOutcome<RowRecord>): void {
    this.finishedInputs++;
    const row = this.#underWay.get(index);
    this.#underWay.delete(index);
    if (row) this.#decide({ place: row, identity: rowIdentity(row), outcome, row });
    else this.#decide({ place: this.#places[index]!, identity: { id: recordId, task_id: taskId }, outcome });
  }

  /** Rows that leave at once do so in their order; others are noted as they are decided. */
  async ready(): Promise<void> {
    const next = () =>
      this.#leavesAtOnce ? this.#decided.get(this.#noted) : this.#decided.values().next().value;
    for (let decided = next(); decided; decided = next()) {
      this.#decided.delete(decided.place.index);
      this.#noted++;
      await this.#options.output.note(decided);
      if (decided.row && decided.outcome.kind === 'emit')
        await this.#options.output.write(decided.row, timesOf(decided.outcome));
    }
  }

  flush(): Promise<void> {
    return this.ready();
  }

  /** Writes the rows that stay, once all are decided. */
  async copy(): Promise<void> {
    for await (const row of this.#rows) {
      const times = this.#times.at(row.index);
      if (times > 0) await this.#options.output.write(row, times);
    }
  }

  counts(): RowOutcomes {
    const { emitted_inputs: kept, dropped, failed } = this.#tally.counts(0);
    return {
      rows_in: this.#tally.finished,
      kept,
      rows_out: this.#rowsOut,
      dropped: mostFirst(dropped),
      failed: mostFirst(failed),
    };
  }

  /** Rows that make no record are noted in the first reading, and left out in all. */
  async *#read(): AsyncGenerator<{ index: number; record: T }> {
    const isFirst = this.#readings++ === 0;
    let index = 0;
    for await (const row of this.#rows) {
      const read = readRow(this.#stage, row, this.#options.onBadRow);
      if ('record' in read) {
        if (isFirst) this.#begin(index, row);
        yield { index: index++, record: read.record };
      } else if (isFirst) {
        this.#decide({ place: row, ...read });
        await this.ready();
      }
    }
  }

  #begin(index: number, row: SourceRow): void {
    this.count++;
    if (this.#leavesAtOnce) this.#underWay.set(index, row);
    else this.#places.push(placeOf(row));
  }

  #decide(decided: Decided): void {
    const { place, outcome } = decided;
    this.#tally.add(outcome);
    this.#decided.set(place.index, decided);
    if (outcome.kind !== 'emit') return;
    this.#rowsOut += timesOf(outcome);
    if (!this.#leavesAtOnce) this.#times.set(place.index, timesOf(outcome));
  }
}

/** The place alone: rows are long, and all places stay in memory. */
function placeOf({ index, file, row, line }: RowPlace): RowPlace {
  return { index, file, row, line };
}

function timesOf({ records }: Extract<StageOutcome<RowRecord>, { kind: 'emit' }>): number {
  return records[0]?.sampling?.repeats ?? 1;
}

function mostFirst(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}
