import { createReadStream } from 'node:fs';
import { basename, extname } from 'node:path';
import { Counts } from '../../base/counts.ts';
import { type JsonValue, safeParseJson } from '../../base/json.ts';
import { ByteGatherer } from '../../base/rows/byteGatherer.ts';
import { JsonCutter, type JsonPiece } from '../../base/rows/jsonCutter.ts';
import { UserError } from '../../base/userError.ts';
import {
  type CorpusOutcome,
  dropRecord,
  emitRecord,
  type Identified,
  type SourceStage,
} from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { joinMessages } from './chat/joinMessages.ts';
import { RowRefusal } from './rowRefusal.ts';

/** A record made of a row, and what had to be done or left out: codes that reports count. */
export interface ImportedRecord<Out> {
  readonly record: Out;
  readonly remarks: readonly string[];
}

/** Makes a record of one row. Throws `RowRefusal` for a row that it can't. */
export type ImportRow<Out> = (
  value: JsonValue,
  place: RowPlace,
) => ImportedRecord<Out> | Promise<ImportedRecord<Out>>;

/** Where a row stands. */
export interface RowPlace {
  /** File name without its folder, so that records are equal on every machine. */
  readonly file: string;
  /** From 1. */
  readonly row: number;
}

/** The files to import, and what their rows become. */
export interface ImportSourceOptions<Out extends Identified> {
  /** Which stage's records the rows become. */
  readonly stage: Pick<SourceStage<Out>, 'version' | 'output'> & { readonly name: StageName };
  readonly files: readonly string[];
  /** Called once there is work. */
  readonly openRows: () => Promise<ImportRow<Out>>;
  /** Drops rows that ask what an earlier one asks, unless they are another rollout; equal keys for equal questions. */
  readonly dropDuplicates: boolean;
  /** Takes rows that are mere messages, one after another, for one conversation. */
  readonly joinsMessages: boolean;
  readonly questionKey: (record: Out) => string;
  /** Keeps the whole row in the ledger when it is refused. */
  readonly keepRefused: boolean;
}

/**
 * The rows of files as the records of a stage, one row at a time. Every row ends as a record or in the ledger with the
 * reason, the path of the field and where it stood.
 */
export function createImportSource<Out extends Identified>(
  options: ImportSourceOptions<Out>,
): SourceStage<Out> {
  const { stage, files } = options;
  const remarks = new Counts();
  return {
    ...stage,
    remarks,
    async *run() {
      remarks.clear();
      const reader = new RowImporter(options, await options.openRows(), remarks);
      let index = 0;
      for (const path of files) {
        const rows = options.joinsMessages ? joinMessages(readRows(path)) : readRows(path);
        for await (const row of rows) yield await reader.outcome(row, index++, basename(path));
      }
      if (index === 0) {
        throw new UserError(`${files.join(', ')}: no rows; expected JSON or JSONL with one record a row`);
      }
    },
  };
}

class RowImporter<Out extends Identified> {
  readonly #remarks: Counts;
  readonly #options: ImportSourceOptions<Out>;
  readonly #importRow: ImportRow<Out>;
  /** Key of a question -> where it stood first. */
  readonly #asked = new Map<string, string>();

  constructor(options: ImportSourceOptions<Out>, importRow: ImportRow<Out>, remarks: Counts) {
    this.#remarks = remarks;
    this.#options = options;
    this.#importRow = importRow;
  }

  async outcome(row: ReadRow, index: number, file: string): Promise<CorpusOutcome<Out>> {
    const place = { file, row: row.number };
    const name = `${file}:${row.number}`;
    try {
      if (!row.ok) throw new RowRefusal('malformed_row', 'not_json', '', row.error);
      const { record, remarks } = await this.#importRow(row.value, place);
      const ids = { index, recordId: record.id, taskId: record.task_id ?? record.id, ...ofRollout(record) };
      const first = this.#firstAsked(record, name);
      if (first !== undefined)
        return { ...ids, outcome: dropRecord('duplicate_question', { ...place, first }) };
      for (const code of remarks) this.#remarks.add(code);
      return { ...ids, outcome: emitRecord(record) };
    } catch (error) {
      if (!(error instanceof RowRefusal)) throw error;
      return { index, recordId: name, taskId: name, outcome: this.#refused(error, row, place) };
    }
  }

  /** Where the same was asked first; undefined for a question that is new, or where repeating is allowed. */
  #firstAsked(record: Out, name: string): string | undefined {
    if (!this.#options.dropDuplicates) return undefined;
    const key = `${record.rollout ?? 0} ${this.#options.questionKey(record)}`;
    const first = this.#asked.get(key);
    if (first === undefined) this.#asked.set(key, name);
    return first;
  }

  #refused({ reason, code, path, message, evidence }: RowRefusal, row: ReadRow, place: RowPlace) {
    const kept = this.#options.keepRefused && row.ok ? { source: row.value } : {};
    return dropRecord(reason, { code, path, message, ...place, ...evidence, ...kept });
  }
}

function ofRollout({ rollout, repairs }: Identified): Pick<CorpusOutcome<unknown>, 'rollout' | 'repairs'> {
  return { ...(rollout !== undefined && { rollout }), ...(repairs !== undefined && { repairs }) };
}

/** Bytes of one row above which it is passed over: no row of a data set comes near, and memory stays bounded. */
const MAX_ROW_BYTES = 128 * 1024 * 1024;

/** One row of a file, or what kept it from being read. */
type ReadRow =
  | { readonly ok: true; readonly number: number; readonly value: JsonValue }
  | { readonly ok: false; readonly number: number; readonly error: string };

/**
 * The rows of a file, one at a time, numbered from 1: one a line in `.jsonl` and `.ndjson`, otherwise the elements of
 * one JSON array, or JSON values one after another.
 *
 * @throws UserError when the file can't be read or is no text
 */
export async function* readRows(path: string, maxBytes = MAX_ROW_BYTES): AsyncGenerator<ReadRow> {
  const split = /^\.(jsonl|ndjson)$/i.test(extname(path)) ? splitLines : splitJsonValues;
  let number = 0;
  for await (const bytes of split(textChunks(path), maxBytes)) {
    number++;
    yield parseBytes(bytes, number, maxBytes);
  }
}

function parseBytes(bytes: RowBytes, number: number, maxBytes: number): ReadRow {
  if (!bytes) return { ok: false, number, error: `the row is longer than ${maxBytes} bytes` };
  const parsed = safeParseJson(bytes.toString('utf8'));
  return parsed.ok
    ? { ok: true, number, value: parsed.value }
    : { ok: false, number, error: `not JSON: ${parsed.error}` };
}

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

async function* textChunks(path: string): AsyncGenerator<Buffer> {
  let first = true;
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
      if (first && chunk.includes(0)) {
        throw new UserError(`${path}: not a text file (it holds NUL bytes); expected JSON or JSONL`);
      }
      yield first && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk;
      first = false;
    }
  } catch (error) {
    throw explainReadError(error, path);
  }
}

function explainReadError(error: unknown, path: string): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === 'ENOENT')
    return new UserError(`${path}: no such file; name the files to import`, { cause: error });
  if (code === 'EISDIR') return new UserError(`${path}: is a folder; name the files in it`, { cause: error });
  return code === undefined ? error : new UserError(`${path}: cannot be read (${code})`, { cause: error });
}

/** Bytes of one row; undefined for a row that is longer than the limit. */
export type RowBytes = Buffer | undefined;

/** The elements of a JSON array, or JSON values that stand one after another. */
export async function* splitJsonValues(
  chunks: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<RowBytes> {
  const cutter = new JsonCutter({ maxBytes });
  const rows = (pieces: readonly JsonPiece[]) => pieces.filter(({ kind }) => kind === 'row');
  for await (const chunk of chunks) for (const { bytes } of rows(cutter.push(chunk))) yield bytes;
  for (const { bytes } of rows(cutter.end())) yield bytes;
}

const LINE_FEED = 0x0a;

/** The lines that hold more than white space. */
export async function* splitLines(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<RowBytes> {
  const line = new ByteGatherer(maxBytes);
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end));
      yield* unlessBlank(line.take());
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  yield* unlessBlank(line.take());
}

function unlessBlank(row: RowBytes): RowBytes[] {
  return row && row.toString('latin1').trim() === '' ? [] : [row];
}
