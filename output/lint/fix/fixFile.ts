import { realpath, stat } from 'node:fs/promises';
import { AtomicFile } from '../../../base/files/atomicFile.ts';
import { type JsonValue, parseJson } from '../../../base/json.ts';
import { printable } from '../../../base/printable.ts';
import type { FileRow } from '../../../base/rows/fileRow.ts';
import { parsedRow, type RowFile } from '../../../base/rows/openRowFile.ts';
import type { FoundRowFile } from '../../../base/rows/rowFilesAt.ts';
import { UserError } from '../../../base/userError.ts';
import { readDatasetRow, replacedText } from '../../../schemas/rows/codecTable.ts';
import { type DatasetRow, isProblem } from '../../../schemas/rows/datasetRow.ts';
import { isForeign, openFound, refuseEmpty } from '../lintFile.ts';
import { type ProfileOptions, profileOfRow } from '../lintRows.ts';
import { type Edit, fixText } from './fixText.ts';

/** What fixing did, or would do, to one row. */
interface FixedRow {
  readonly row: number;
  readonly bytesRead: number;
  readonly edits: readonly Edit[];
  /** True for a row with something to fix whose layout has no single text to put it into. */
  readonly left: boolean;
}

/** What stands in the new file: a row, or what lies between rows. */
interface Rewritten {
  /** Undefined for what lies between rows. */
  readonly row?: FixedRow;
  /** Undefined where a row has none of its own. */
  readonly bytes: Uint8Array | undefined;
  readonly isChanged: boolean;
}

/** What {@link fixFile} would change; nothing is written. */
export async function* previewFixes(file: FoundRowFile, options: ProfileOptions): AsyncGenerator<FixedRow> {
  const rowFile = await openFound(file);
  if (!rowFile) return;
  for await (const { row } of rewrittenPieces(file, rowFile, options)) if (row) yield row;
}

/**
 * Fixes a JSON file's rows in place: rows that need nothing and everything between rows keep their bytes. The new
 * file is written beside the old one and takes its name at the end; when nothing changed, or on any error, the old
 * one stays untouched. Rows of packed files, CSV, parquet and Arrow are left as they are.
 *
 * @throws UserError where the file can't be read to its end, or nothing can be written beside it
 */
export async function* fixFile(file: FoundRowFile, options: ProfileOptions): AsyncGenerator<FixedRow> {
  const rowFile = await openFound(file);
  if (!rowFile?.isPlainJson) return yield* previewFixes(file, options);
  // A link stays a link: what it points to is replaced.
  const target = await realpath(file.path);
  const fixed = await AtomicFile.create(target, (await stat(target)).mode);
  let changed = false;
  try {
    for await (const { row, bytes, isChanged } of rewrittenPieces(file, rowFile, options)) {
      if (!bytes)
        throw new UserError(`${file.path}: row ${row?.row} is too long to be copied; fix it by hand`);
      await fixed.write(bytes);
      changed ||= isChanged;
      if (row) yield row;
    }
    if (changed) await fixed.commit();
  } finally {
    await fixed.discard();
  }
}

/** Everything in a file, in order. A file that was found in a folder and whose first row is no trajectory gives nothing. */
async function* rewrittenPieces(
  file: FoundRowFile,
  { cut, isPlainJson }: RowFile,
  options: ProfileOptions,
): AsyncGenerator<Rewritten> {
  let rows = 0;
  for await (const piece of cut()) {
    if ('between' in piece) {
      yield { bytes: piece.between, isChanged: false };
      continue;
    }
    const row = parsedRow(file.path, piece);
    const said = 'value' in row ? answerIn(row.value) : undefined;
    if (row.row === 1 && isForeign(file, said !== undefined, 'problem' in row)) return;
    rows += 1;
    yield rewriteRow(row, said, isPlainJson, options);
  }
  refuseEmpty(file, rows);
}

function answerIn(value: JsonValue): DatasetRow | undefined {
  const read = readDatasetRow(value);
  return isProblem(read) || (read.text === null && !read.pair && !read.tokens) ? undefined : read;
}

function rewriteRow(
  { row, bytesRead, bytes }: FileRow,
  said: DatasetRow | undefined,
  isPlainJson: boolean,
  options: ProfileOptions,
): Rewritten {
  // A pair is not rewritten: its prompt belongs to both.
  const { text = null, profile = null } = said?.pair?.chosen ?? said ?? {};
  const fixed = text === null ? undefined : fixText(profileOfRow({ text, profile }, options).profile, text);
  const edits = fixed?.edits ?? [];
  if (!fixed || edits.length === 0)
    return { row: { row, bytesRead, edits, left: false }, bytes, isChanged: false };
  const exact = isPlainJson && bytes ? parseKeepingNumbers(Buffer.from(bytes).toString('utf8')) : null;
  const rewritten = exact && said && replacedText(exact, fixed.text, said);
  return {
    row: { row, bytesRead, edits, left: !rewritten },
    bytes: rewritten ? Buffer.from(JSON.stringify(rewritten)) : bytes,
    isChanged: rewritten !== undefined && rewritten !== null,
  };
}

/** In Node since 22; not yet in TypeScript's library. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): JsonValue };

/**
 * Parses JSON so that writing it again keeps every number as it was spelt: `1.0`, `1e3` and integers that a double
 * would round. Throws `SyntaxError`.
 */
function parseKeepingNumbers(text: string): JsonValue {
  return parseJson(text, { reviver: keepSpelling });
}

function keepSpelling(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? rawJSON(context.source) : value;
}

/** Edits of one row that are shown one by one. */
const MAX_SHOWN = 20;

/**
 * A row's edits as a difference. White space is what changes, so both sides are written with escapes:
 *
 *     data.json: row 3
 *     - …</web_search><observation>\nThe Danube
 *     + …</web_search>\n<observation>\nThe Danube
 */
export function renderEdits(file: FoundRowFile, row: FixedRow): string {
  const left = row.left ? ' (left as it is: this layout is not rewritten)' : '';
  const lines = row.edits
    .slice(0, MAX_SHOWN)
    .flatMap(({ lead, before, after, trail }) => [
      `- ${escaped(lead)}${spelt(before)}${escaped(trail)}`,
      `+ ${escaped(lead)}${spelt(after)}${escaped(trail)}`,
    ]);
  const more = row.edits.length - MAX_SHOWN;
  if (more > 0) lines.push(`  and ${more} more edits`);
  return [`${printable(file.path)}: row ${row.row}${left}`, ...lines, ''].join('\n');
}

function escaped(text: string): string {
  return printable(JSON.stringify(text.toWellFormed()).slice(1, -1).replaceAll('\\"', '"'));
}

/** Normal forms look alike, so what changes is spelt out. */
function spelt(text: string): string {
  return escaped(text).replace(
    /[^\0-\x7f]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
