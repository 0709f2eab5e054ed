import { printable } from '../../../base/printable.ts';
import type { DatasetFile } from '../read/findDatasetFiles.ts';
import type { FixedRow } from './fixFile.ts';

/** Edits of one row that are shown one by one. */
const mostShown = 20;

/**
 * A row's edits as a difference. White space is what changes, so both sides are written with escapes:
 *
 *     data.json: row 3
 *     - …</web_search><observation>\nThe Danube
 *     + …</web_search>\n<observation>\nThe Danube
 */
export function renderEdits(file: DatasetFile, row: FixedRow): string {
  const left = row.left ? ' (left as it is: this layout is not rewritten)' : '';
  const lines = row.edits
    .slice(0, mostShown)
    .flatMap(({ lead, before, after, trail }) => [
      `- ${escaped(lead)}${spelt(before)}${escaped(trail)}`,
      `+ ${escaped(lead)}${spelt(after)}${escaped(trail)}`,
    ]);
  const more = row.edits.length - mostShown;
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
