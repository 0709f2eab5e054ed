import { realpath, stat } from 'node:fs/promises';
import { AtomicFile } from '../../../base/files/atomicFile.ts';
import { type JsonValue, parseJson } from '../../../base/json.ts';
import { printable } from '../../../base/printable.ts';
import type { RowFile } from '../../../base/rows/openRowFile.ts';
import type { FoundRowFile } from '../../../base/rows/rowFilesAt.ts';
import { UserError } from '../../../base/userError.ts';
import { replacedText } from '../../../schemas/rows/codecTable.ts';
import { type LintOptions, profileOfRow } from '../lintRows.ts';
import { openFound, readTrajectories, type TrajectoryRow } from '../read/readTrajectories.ts';
import { type Edit, fixText } from './fixText.ts';

/** What fixing did, or would do, to one row. */
interface FixedRow {
  readonly row: number;
  readonly bytesRead: number;
  readonly edits: readonly Edit[];
  /** True for a row with something to fix whose layout has no single text to put it into. */
  readonly left: boolean;
}

interface RewrittenRow extends FixedRow {
  /** Undefined where a row has none of its own. */
  readonly bytes: Uint8Array | undefined;
}

type FixOptions = Pick<LintOptions, 'profiles' | 'profile'>;

/** What {@link fixFile} would change; nothing is written. */
export async function* previewFixes(file: FoundRowFile, options: FixOptions): AsyncGenerator<FixedRow> {
  const rowFile = await openFound(file);
  if (!rowFile) return;
  for await (const piece of readTrajectories(file, rowFile))
    if (!('between' in piece)) yield rewriteRow(piece, rowFile, options);
}

/**
 * Fixes a JSON file's rows in place: rows that need nothing and everything between rows keep their bytes. The new
 * file is written beside the old one and takes its name at the end; when nothing changed, or on any error, the old
 * one stays untouched. Rows of packed files, CSV, parquet and Arrow are left as they are.
 *
 * @throws UserError where the file can't be read to its end, or nothing can be written beside it
 */
export async function* fixFile(file: FoundRowFile, options: FixOptions): AsyncGenerator<FixedRow> {
  const rowFile = await openFound(file);
  if (!rowFile?.isPlainJson) return yield* previewFixes(file, options);
  // A link stays a link: what it points to is replaced.
  const target = await realpath(file.path);
  const fixed = await AtomicFile.create(target, (await stat(target)).mode);
  let changed = false;
  try {
    for await (const piece of readTrajectories(file, rowFile)) {
      if ('between' in piece) {
        await fixed.write(piece.between);
        continue;
      }
      const row = rewriteRow(piece, rowFile, options);
      if (!row.bytes)
        throw new UserError(`${file.path}: row ${row.row} is too long to be copied; fix it by hand`);
      await fixed.write(row.bytes);
      changed ||= row.bytes !== piece.bytes;
      yield row;
    }
    if (changed) await fixed.commit();
  } finally {
    await fixed.discard();
  }
}

function rewriteRow(piece: TrajectoryRow, { isPlainJson }: RowFile, options: FixOptions): RewrittenRow {
  const { row, bytesRead, bytes, said } = piece;
  // A pair is not rewritten: its prompt belongs to both.
  const { text = null, profile = null } = said?.pair?.chosen ?? said ?? {};
  const fixed = text === null ? undefined : fixText(profileOfRow({ text, profile }, options).profile, text);
  if (!fixed || fixed.edits.length === 0) return { row, bytesRead, bytes, edits: [], left: false };
  const isKept = isPlainJson && bytes !== undefined;
  const exact = isKept ? parseKeepingNumbers(Buffer.from(bytes).toString('utf8')) : null;
  const rewritten = exact && said && replacedText(exact, fixed.text, said);
  if (!rewritten) return { row, bytesRead, bytes, edits: fixed.edits, left: true };
  return { row, bytesRead, bytes: Buffer.from(JSON.stringify(rewritten)), edits: fixed.edits, left: false };
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
