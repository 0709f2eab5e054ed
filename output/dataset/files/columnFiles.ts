import {
  type Data,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
  tableToIPC,
} from 'apache-arrow';
import {
  Compression,
  EnabledStatistics,
  type RecordBatch as ParquetBatch,
  Table as ParquetTable,
  transformParquetStream,
  WriterPropertiesBuilder,
} from 'parquet-wasm';
import type { OpenFile, RowFile } from '../datasetFormat.ts';
import type { RowColumns } from './columns.ts';

/** Destination of row batches. */
interface BatchSink {
  write(stream: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
}

/** File of columns. Rows are buffered until they fill a batch; even an empty file has one batch. */
function batchedRowFile<Row>(rowColumns: RowColumns<Row>, sink: BatchSink): RowFile<Row> {
  const { columns, tokensOf } = rowColumns;
  const bytesOf = (row: Row) => columns.reduce((sum, column) => sum + column.bytesOf(row), 0);
  const schema = schemaOf(rowColumns);
  let held: Row[] = [];
  let heldTokens = 0;
  let dataBytes = 0;
  let begun = false;
  async function flush(): Promise<void> {
    const rows = held;
    held = [];
    heldTokens = 0;
    begun = true;
    const data = columns.map((column) => column.dataOf(rows));
    await sink.write(ipcStream(schema, rows.length, data));
  }
  return {
    async add(row) {
      dataBytes += bytesOf(row);
      heldTokens += tokensOf(row);
      held.push(row);
      if (heldTokens >= MAX_BATCH_TOKENS || held.length >= MAX_BATCH_ROWS) await flush();
    },
    get dataBytes() {
      return dataBytes;
    },
    async finish() {
      if (held.length > 0 || !begun) await flush();
      await sink.finish();
    },
    abort: () => sink.abort(),
  };
}

function schemaOf<Row>({ columns }: RowColumns<Row>): Schema {
  return new Schema(columns.map(({ field }) => field));
}

/** End of an Arrow IPC stream: a continuation mark and a length of zero. */
const endMarkBytes = 8;

/**
 * Arrow IPC stream as written by `datasets.save_to_disk`, which cannot open the file form. Each batch's own stream is
 * cut down to its batch: schema once, batches, end mark once.
 */
export function arrowStreamFile<Row>(file: OpenFile, columns: RowColumns<Row>): RowFile<Row> {
  // Stream without batches.
  const empty = new RecordBatchStreamWriter().reset(undefined, schemaOf(columns)).finish().toUint8Array(true);
  let begun = false;
  return batchedRowFile(columns, {
    async write(stream) {
      if (!begun) await file.write(empty.subarray(0, -endMarkBytes));
      begun = true;
      await file.write(stream.subarray(empty.length - endMarkBytes, -endMarkBytes));
    },
    finish: () => file.write(empty.subarray(-endMarkBytes)),
    async abort() {},
  });
}

/** Parquet file (ZSTD) of rows. */
export function parquetRowFile<Row>(file: OpenFile, columns: RowColumns<Row>): RowFile<Row> {
  return batchedRowFile(columns, new ParquetFile(file));
}

/** Maximum size of a row group, which a reader and the WebAssembly memory hold at once. */
const MAX_ROW_GROUP_BYTES = 32 * 1024 * 1024;
const MAX_ROW_GROUP_ROWS = 1_000;

/**
 * Parquet file (ZSTD) written in batches; each `write` waits until earlier batches are consumed. Without dictionaries
 * and statistics, which double the time without reducing the size: texts and ids hardly repeat, and readers do not
 * search ids by range.
 */
export class ParquetFile {
  readonly #channel = new TransformStream<ParquetBatch, ParquetBatch>();
  readonly #batches = this.#channel.writable.getWriter();
  /** Settles once the file is complete or has failed. */
  readonly #written: Promise<void>;

  constructor(file: Pick<OpenFile, 'write'>) {
    this.#written = this.#pump(file);
    this.#written.catch(() => undefined);
    this.#batches.closed.catch(() => undefined);
  }

  /** Appends the batches of an Arrow IPC stream. A file needs at least one, possibly empty. */
  async write(ipcStream: Uint8Array): Promise<void> {
    for (const batch of ParquetTable.fromIPCStream(ipcStream).recordBatches()) {
      await Promise.race([this.#batches.write(batch), this.#written]);
    }
  }

  async finish(): Promise<void> {
    await Promise.race([this.#batches.close(), this.#written]);
    await this.#written;
  }

  async abort(): Promise<void> {
    await this.#batches.abort().catch(() => undefined);
    await this.#written.catch(() => undefined);
  }

  async #pump(file: Pick<OpenFile, 'write'>): Promise<void> {
    const properties = new WriterPropertiesBuilder()
      .setCompression(Compression.ZSTD)
      .setDictionaryEnabled(false)
      .setStatisticsEnabled(EnabledStatistics.None)
      .setMaxRowGroupSize(MAX_ROW_GROUP_ROWS)
      .setMaxRowGroupBytes(MAX_ROW_GROUP_BYTES)
      .build();
    const parquet: ReadableStream<Uint8Array> = await transformParquetStream(
      this.#channel.readable,
      properties,
    );
    for await (const bytes of parquet) await file.write(bytes);
  }
}

/** Tokens per batch, some tens of megabytes. */
const MAX_BATCH_TOKENS = 1_000_000;

/** Maximum rows per batch. */
const MAX_BATCH_ROWS = 1_000;

/** Encodes columns as an Arrow IPC stream: schema, one batch, end marker. */
export function ipcStream(schema: Schema, length: number, children: Data[]): Uint8Array {
  const data = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
  return tableToIPC(new Table([new RecordBatch(schema, data)]), 'stream');
}
