import {
  type Data,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  type Schema,
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
import type { RowFile } from '../datasetFormat.ts';
import type { HashedFile } from '../hashedFile.ts';

/** What takes batches of rows and makes a file of them. */
interface BatchSink {
  /** Takes one batch, as an Arrow IPC stream of its own. */
  write(stream: Uint8Array): Promise<void>;
  /** Writes the file's end. */
  finish(): Promise<void>;
  /** Lets go of streams and native memory. */
  abort(): Promise<void>;
}

/** A file of rows in columns, which are held back until there are enough for a batch. It has a batch even without rows. */
function batchedRowFile<Row>(columns: RowColumns<Row>, sink: BatchSink): RowFile<Row> {
  const batches = new RowBatches<Row>();
  let dataBytes = 0;
  let begun = false;
  async function write(rows: readonly Row[]): Promise<void> {
    begun = true;
    await sink.write(ipcStream(columns.schema, rows.length, columns.columnsOf(rows)));
  }
  return {
    async add(row) {
      dataBytes += columns.bytesOf(row);
      const batch = batches.add(row, columns.tokensOf(row));
      if (batch) await write(batch);
    },
    get dataBytes() {
      return dataBytes;
    },
    async finish() {
      const rest = batches.take();
      if (rest.length > 0 || !begun) await write(rest);
      await sink.finish();
    },
    abort: () => sink.abort(),
  };
}

/** An Arrow IPC stream ends with a continuation mark and a length of zero. */
const endMarkBytes = 8;

/**
 * An Arrow IPC stream of rows, as `datasets.save_to_disk` leaves it (it can't open the file form). A stream per batch
 * is cut to its batch: schema once, batches, end mark once.
 */
export function arrowStreamFile<Row>(file: HashedFile, columns: RowColumns<Row>): RowFile<Row> {
  const empty = emptyStream(columns.schema);
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

/** A stream without batches. */
function emptyStream(schema: Schema): Uint8Array {
  return new RecordBatchStreamWriter().reset(undefined, schema).finish().toUint8Array(true);
}

/** A parquet file (ZSTD) of rows. */
export function parquetRowFile<Row>(file: HashedFile, columns: RowColumns<Row>): RowFile<Row> {
  return batchedRowFile(columns, new ParquetFile(file));
}

/** Bytes and rows of a row group at most: what a reader, and the WebAssembly memory, hold at once. */
const MAX_ROW_GROUP_BYTES = 32 * 1024 * 1024;
const MAX_ROW_GROUP_ROWS = 1_000;

/**
 * A parquet file (ZSTD) written batch by batch; each `write` waits until earlier batches are taken up. Without
 * dictionaries and statistics, which double the time and make the file no smaller: texts and ids hardly repeat, and
 * nobody looks for rows by the range of their ids.
 */
export class ParquetFile {
  readonly #channel = new TransformStream<ParquetBatch, ParquetBatch>();
  readonly #batches = this.#channel.writable.getWriter();
  /** Settles when the file is complete, or when it can't be written. */
  readonly #written: Promise<void>;

  constructor(file: HashedFile) {
    this.#written = this.#pump(file);
    this.#written.catch(() => undefined);
    this.#batches.closed.catch(() => undefined);
  }

  /** Appends the batches of an Arrow IPC stream. A file needs at least one, which may be empty. */
  async write(ipcStream: Uint8Array): Promise<void> {
    for (const batch of ParquetTable.fromIPCStream(ipcStream).recordBatches()) {
      await Promise.race([this.#batches.write(batch), this.#written]);
    }
  }

  /** Writes the footer. */
  async finish(): Promise<void> {
    await Promise.race([this.#batches.close(), this.#written]);
    await this.#written;
  }

  /** Ends the streams without a footer. */
  async abort(): Promise<void> {
    await this.#batches.abort().catch(() => undefined);
    await this.#written.catch(() => undefined);
  }

  async #pump(file: HashedFile): Promise<void> {
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

/** How rows of one kind become the columns of a binary file. */
export interface RowColumns<Row> {
  readonly schema: Schema;
  /** A column for each field of the schema, in its order. */
  columnsOf(rows: readonly Row[]): Data[];
  /** Tokens of a row, by which batches are filled. */
  tokensOf(row: Row): number;
  /** Bytes that a row takes in the columns, by which files are filled. */
  bytesOf(row: Row): number;
}

/** Tokens after which held-back rows are written: a batch then takes some tens of megabytes at most. */
const MAX_BATCH_TOKENS = 1_000_000;

/** Rows after which they are written, however short they are. */
const MAX_BATCH_ROWS = 1_000;

/** Holds rows back until there are enough of them for a batch. */
export class RowBatches<Row> {
  #rows: Row[] = [];
  #tokens = 0;

  /** Takes a row; gives the batch that it completes, if it does. */
  add(row: Row, tokens: number): Row[] | undefined {
    this.#rows.push(row);
    this.#tokens += tokens;
    const full = this.#tokens >= MAX_BATCH_TOKENS || this.#rows.length >= MAX_BATCH_ROWS;
    return full ? this.take() : undefined;
  }

  /** The rows held back, which are the caller's from then on. */
  take(): Row[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#tokens = 0;
    return rows;
  }
}

/** Columns of one length as an Arrow IPC stream: the schema, one batch, the end marker. */
export function ipcStream(schema: Schema, length: number, columns: Data[]): Uint8Array {
  const type = new Struct(schema.fields);
  const batch = new RecordBatch(schema, makeData({ type, length, nullCount: 0, children: columns }));
  return tableToIPC(new Table([batch]), 'stream');
}
