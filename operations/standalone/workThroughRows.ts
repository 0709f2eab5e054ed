import { GrowingColumn } from '../../base/growingColumn.ts';
import { BadRow } from './badRow.ts';
import type { OutputFiles } from './outputFiles.ts';
import type {
  CorpusCommand,
  PlacedDecision,
  ReadRow,
  RowCommand,
  RowIdentity,
  StreamingCommand,
} from './rowCommand.ts';
import { rowId } from './rowId.ts';
import { type RowCounts, RowTally } from './rowTally.ts';
import type { SourceRow } from './sourceRow.ts';

/** What is done about a row that is not what the command works on. */
export type OnBadRow = 'stop' | 'drop';

/**
 * Decides every row, writes those that stay and notes what became of the others.
 *
 * @param rows begin anew whenever they are iterated, for a command that sees all rows
 * @throws UserError for a bad row, unless such rows are dropped
 */
export async function workThroughRows<T extends RowIdentity>(
  rows: AsyncIterable<SourceRow>,
  command: RowCommand<T>,
  output: OutputFiles,
  onBadRow: OnBadRow,
): Promise<RowCounts> {
  const worker = new RowWorker(output, onBadRow);
  if (command.kind === 'streaming') await worker.stream(rows, command);
  else await worker.decideThenCopy(rows, command);
  return worker.tally.counts;
}

class RowWorker {
  readonly tally = new RowTally();
  readonly #output: OutputFiles;
  readonly #onBadRow: OnBadRow;

  constructor(output: OutputFiles, onBadRow: OnBadRow) {
    this.#output = output;
    this.#onBadRow = onBadRow;
  }

  async stream<T extends RowIdentity>(
    rows: AsyncIterable<SourceRow>,
    command: StreamingCommand<T>,
  ): Promise<void> {
    for await (const row of rows) {
      const record = this.#tryRead(row, command);
      if (record instanceof BadRow) {
        await this.#note(refused(row, record));
        continue;
      }
      const decision = await command.decide({ row, record });
      await this.#note({ index: row.index, identity: record, row, decision });
      if (decision.kind === 'keep') await this.#output.write(row, decision.sampling?.repeats ?? 1);
    }
  }

  async decideThenCopy<T extends RowIdentity>(
    rows: AsyncIterable<SourceRow>,
    command: CorpusCommand<T>,
  ): Promise<void> {
    /** How often each row is to be written. */
    const times = new GrowingColumn(Uint32Array);
    for await (const placed of command.decide(this.#goodRows(rows, command))) {
      await this.#note(placed);
      const { decision, index } = placed;
      if (decision.kind === 'keep') times.set(index, decision.sampling?.repeats ?? 1);
    }
    for await (const row of rows) {
      const kept = times.at(row.index);
      if (kept > 0) await this.#output.write(row, kept);
    }
  }

  /** The rows that the command can read; the others are noted in the first reading, and left out in all. */
  #goodRows<T extends RowIdentity>(
    rows: AsyncIterable<SourceRow>,
    command: CorpusCommand<T>,
  ): AsyncIterable<ReadRow<T>> {
    let readings = 0;
    const read = async function* (this: RowWorker): AsyncGenerator<ReadRow<T>> {
      const isFirst = readings++ === 0;
      for await (const row of rows) {
        const record = this.#tryRead(row, command);
        if (!(record instanceof BadRow)) yield { row, record };
        else if (isFirst) await this.#note(refused(row, record));
      }
    };
    return { [Symbol.asyncIterator]: () => read.call(this) };
  }

  #tryRead<T extends RowIdentity>(row: SourceRow, command: RowCommand<T>): T | BadRow {
    try {
      return command.read(row);
    } catch (error) {
      if (!(error instanceof BadRow)) throw error;
      if (this.#onBadRow === 'stop') throw error.asUserError(row);
      return error;
    }
  }

  async #note(placed: PlacedDecision): Promise<void> {
    this.tally.add(placed.decision);
    await this.#output.note(placed);
  }
}

function refused(row: SourceRow, { message }: BadRow): PlacedDecision {
  const id = rowId(row);
  const decision = { kind: 'drop', reason: 'malformed_row', evidence: { message } } as const;
  return { index: row.index, identity: { id, task_id: id }, row, decision };
}
