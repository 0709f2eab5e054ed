import { answerChecksum, answerColumns, readAnswer } from '../answerRow.ts';
import { PAGE_BYTES, PagedFile } from './pagedFile.ts';
import { type RowValue, rowsOnPage } from './rowsOnPage.ts';

/**
 * The answers that can be read from a damaged cache, as the values of a row with its checksum. Rows of versions that
 * wrote no checksums are taken as they read, but only from a file in which no row has one: elsewhere they are what an
 * update left behind.
 *
 * @param part `unused_log`: only what SQLite will not read because the log is damaged before it
 */
export function* readableAnswers(path: string, part: 'all' | 'unused_log'): Generator<readonly RowValue[]> {
  let hasChecksums = part === 'unused_log';
  for (const values of readableRows(path, part)) {
    if (!isAnswer(values)) continue;
    hasChecksums = true;
    yield values;
  }
  if (hasChecksums) return;
  for (const values of readableRows(path, part)) {
    const row = [...values, answerChecksum(values)];
    if (isAnswer(row)) yield row;
  }
}

function isAnswer(values: readonly RowValue[]): boolean {
  const row = Object.fromEntries([...answerColumns, 'checksum'].map((column, at) => [column, values[at]]));
  return values.length === answerColumns.length + 1 && readAnswer(row) !== undefined;
}

/**
 * The rows of `answers` that can be read from a damaged cache and its log, whatever became of the pages that lead to
 * them (sqlite.org/fileformat2.html). A row may be damaged itself; its checksum tells.
 *
 * @param part `unused_log`: only what SQLite will not read because the log is damaged before it
 */
function* readableRows(path: string, part: 'all' | 'unused_log'): Generator<readonly RowValue[]> {
  const file = new PagedFile(path);
  const log = new PagedFile(`${path}-wal`);
  try {
    const frames = logFrames(log);
    const latest = new Map(frames.map(({ page, offset }) => [page, offset]));
    const pageOf = (page: number) => {
      const offset = latest.get(page);
      return offset === undefined ? file.read((page - 1) * PAGE_BYTES) : log.read(offset);
    };
    for (const { offset, used } of frames) {
      if (part === 'all' || !used) yield* rowsOnPage(log.read(offset)!, pageOf);
    }
    for (let offset = 0; part === 'all' && offset < file.size; offset += PAGE_BYTES) {
      yield* rowsOnPage(file.read(offset)!, pageOf);
    }
  } finally {
    file.close();
    log.close();
  }
}

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
/** First four bytes of a log whose checksums read its words in little and in big endian order. */
const LITTLE_ENDIAN = 0x377f0682;
const BIG_ENDIAN = 0x377f0683;

/** A page that a write-ahead log holds. */
interface LogFrame {
  /** Number of the page, from 1. */
  readonly page: number;
  /** Place of its content in the log, in bytes. */
  readonly offset: number;
  /** False behind the last commit before the first wrong checksum: SQLite uses none of them. */
  readonly used: boolean;
}

/** The frames of a write-ahead log since it was last begun, in order (sqlite.org/fileformat2.html#walformat). */
function logFrames(log: PagedFile): LogFrame[] {
  const header = log.read(0, HEADER_BYTES);
  if (header?.length !== HEADER_BYTES) return [];
  const sum = new LogChecksum(header.readUInt32BE(0) === BIG_ENDIAN);
  sum.add(header.subarray(0, 24));
  let isSound =
    [LITTLE_ENDIAN, BIG_ENDIAN].includes(header.readUInt32BE(0)) && sum.equals(header.subarray(24));
  // Where the header is damaged, any frame may belong to it: what an earlier use left is in the file as well.
  const salts = isSound ? header.subarray(16, 24) : undefined;
  const frames: Omit<LogFrame, 'used'>[] = [];
  let [current, committed] = [0, 0];
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES < log.size; at += FRAME_BYTES) {
    const frame = log.read(at, FRAME_BYTES)!;
    const isCurrent = salts?.equals(frame.subarray(8, 16)) ?? true;
    isSound &&= isCurrent && frame.length === FRAME_BYTES;
    if (isSound) {
      sum.add(frame.subarray(0, 8));
      sum.add(frame.subarray(FRAME_HEADER_BYTES));
      isSound = sum.equals(frame.subarray(16, 24));
    }
    frames.push({ page: frame.readUInt32BE(0), offset: at + FRAME_HEADER_BYTES });
    if (isCurrent) current = frames.length;
    // The last frame of a commit says how long the file is then.
    if (isSound && frame.readUInt32BE(4) > 0) committed = frames.length;
  }
  // What stands behind the last frame of these salts is left from before.
  return frames.slice(0, current).map((found, nth) => ({ ...found, used: nth < committed }));
}

/** The running checksum of a log. */
class LogChecksum {
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian;
  }

  add(bytes: Buffer): void {
    const words = Buffer.from(bytes);
    if (this.#isBigEndian) words.swap32();
    for (let at = 0; at < words.length; at += 8) {
      this.#first = (this.#first + words.readUInt32LE(at) + this.#second) >>> 0;
      this.#second = (this.#second + words.readUInt32LE(at + 4) + this.#first) >>> 0;
    }
  }

  equals(stored: Buffer): boolean {
    return stored.readUInt32BE(0) === this.#first && stored.readUInt32BE(4) === this.#second;
  }
}
