import { PAGE_BYTES } from './pagedFile.ts';

/** A text of 64 characters as SQLite's serial type, two bytes: the `request` that every row has. */
const REQUEST_TYPE = Buffer.of(0x81, 0x0d);
/** Serial types of the words that `kind` is. */
const KIND_TYPES: ReadonlySet<number> = new Set(
  ['tool', 'model', 'finding', 'definition'].map((kind) => 13 + 2 * kind.length),
);
/** Bytes of a whole number by its serial type; 8 and 9 stand for 0 and 1. */
const INTEGER_BYTES: readonly number[] = [0, 1, 2, 3, 4, 6, 8, 0, 0, 0];
const FIRST_TEXT_TYPE = 13;
/** Longer than any answer: what a damaged length says is not looked for. */
const MAX_ROW_BYTES = 1 << 29;

/** A value of a row. */
export type RowValue = string | number | null;

/** A record's serial types, and where its values begin. */
interface RecordHeader {
  readonly types: readonly number[];
  readonly end: number;
}

/**
 * The rows of `answers` that begin on a page, found by their first bytes: whatever else of the page is damaged, and
 * also ones that were removed since.
 *
 * @param pageOf the content of a page by its number, for rows that go on there
 */
export function* rowsOnPage(
  page: Buffer,
  pageOf: (number: number) => Buffer | undefined,
): Generator<readonly RowValue[]> {
  for (let at = page.indexOf(REQUEST_TYPE); at >= 0; at = page.indexOf(REQUEST_TYPE, at + 1)) {
    // Before it stand the header's length and the type of `kind`, a byte each.
    const header = at >= 2 && KIND_TYPES.has(page[at - 1]!) && readHeader(page, at - 2);
    const row = header && readRow(page, at - 2, header, pageOf);
    if (row) yield row;
  }
}

function readHeader(page: Buffer, start: number): RecordHeader | undefined {
  const end = start + page[start]!;
  const types: number[] = [];
  let at = start + 1;
  while (at < end) {
    let type = 0;
    do {
      type = type * 128 + ((page[at] ?? 0) & 0x7f);
    } while ((page[at++] ?? 0) >= 0x80 && at < end);
    types.push(type);
  }
  return at === end && types.every((type) => sizeOf(type) !== undefined) ? { types, end } : undefined;
}

/** Bytes of a value by its serial type; undefined for one that no answer has. */
function sizeOf(type: number): number | undefined {
  if (type < FIRST_TEXT_TYPE) return INTEGER_BYTES[type];
  return type % 2 === 1 ? (type - FIRST_TEXT_TYPE) / 2 : undefined;
}

function readRow(
  page: Buffer,
  start: number,
  { types, end }: RecordHeader,
  pageOf: (number: number) => Buffer | undefined,
): RowValue[] | undefined {
  const headerBytes = end - start;
  const length = types.reduce((sum, type) => sum + sizeOf(type)!, headerBytes);
  const record = length > MAX_ROW_BYTES ? undefined : readRecord(page, start, length, pageOf);
  if (!record) return undefined;
  let at = headerBytes;
  return types.map((type) => {
    const from = at;
    at += sizeOf(type)!;
    return readValue(type, record.subarray(from, at));
  });
}

function readValue(type: number, bytes: Buffer): RowValue {
  if (type >= FIRST_TEXT_TYPE) return bytes.toString('utf8');
  if (type >= 8) return type - 8;
  // Numbers of more bytes than that are in no answer.
  return bytes.length === 0 || bytes.length > 6 ? null : bytes.readIntBE(0, bytes.length);
}

/** A record with what of it stands on other pages. */
function readRecord(
  page: Buffer,
  start: number,
  length: number,
  pageOf: (number: number) => Buffer | undefined,
): Buffer | undefined {
  const local = localBytes(length);
  if (start + local > page.length) return undefined;
  const parts = [page.subarray(start, start + local)];
  let missing = length - local;
  let next = missing > 0 && start + local + 4 <= page.length ? page.readUInt32BE(start + local) : 0;
  while (missing > 0) {
    const more = next === 0 ? undefined : pageOf(next);
    if (!more || more.length < 4) return undefined;
    next = more.readUInt32BE(0);
    parts.push(more.subarray(4, 4 + missing));
    missing -= PAGE_BYTES - 4;
  }
  return Buffer.concat(parts);
}

/** How much of a record stands on its own page (sqlite.org/fileformat2.html#b_tree_pages, table leaf cells). */
function localBytes(length: number): number {
  const most = PAGE_BYTES - 35;
  if (length <= most) return length;
  const least = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;
  const wanted = least + ((length - least) % (PAGE_BYTES - 4));
  return wanted <= most ? wanted : least;
}
