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

/** Row counts: `in = kept + dropped + failed`. */
export interface RowOutcomes {
  readonly rows_in: number;
  readonly kept: number;
  /** Rows written, including repeats. */
  readonly rows_out: number;
  /** Drop reason -> rows, most frequent first. */
  readonly dropped: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
}

interface RunRowsOptions {
  readonly output: OutputFiles;
  readonly onBadRow: OnBadRow;
  readonly signal: AbortSignal;
}

/**
 * Runs a stage over rows, writes the kept rows and records the other outcomes.
 *
 * @param rows iterable several times for a stage that needs all rows
 * @throws UserError for a bad row, unless bad rows are dropped
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

/** Decided row with its content, which is absent if rows are read again for writing. */
type Decided = DecidedRow & { readonly row?: SourceRow };

/** Adapts a command's rows to stage inputs, and its files to a stage log. */
class RowWork<T extends RowRecord> implements RecordInputs, OutcomeLog {
  readonly #rows: AsyncIterable<SourceRow>;
  readonly #stage: RowStage<T>;
  readonly #options: RunRowsOptions;
  readonly #leavesAtOnce: boolean;
  readonly #tally = new Tally();
  /** Rows being decided, by record index. */
  readonly #underWay = new Map<number, SourceRow>();
  readonly #places: RowPlace[] = [];
  /** Decided rows that are not recorded yet, by index. */
  readonly #decided = new Map<number, Decided>();
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

  /** Writes immediate rows in order; records others as they are decided. */
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

  /** Writes the kept rows after all are decided. */
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

  /** Rows without a record are recorded in the first pass, and skipped in all. */
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

/** Copies only the position, since rows are long and all positions stay in memory. */
function placeOf({ index, file, row, line }: RowPlace): RowPlace {
  return { index, file, row, line };
}

function timesOf({ records }: Extract<StageOutcome<RowRecord>, { kind: 'emit' }>): number {
  return records[0]?.sampling?.repeats ?? 1;
}

function mostFirst(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
}
