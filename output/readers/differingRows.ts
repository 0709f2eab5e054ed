import type { AuditFinding, TokenContext } from '../../schemas/audit.ts';
import { readDatasetRow } from '../../schemas/rows/codecTable.ts';
import { isProblem } from '../../schemas/rows/datasetRow.ts';
import { ignoredLabel } from '../../schemas/trainers/huggingFace.ts';
import type { DatasetAudit } from '../audit/auditDataset.ts';
import type { DatasetPart } from '../audit/read/datasetParts.ts';
import type { SourceRow } from '../audit/read/readRows.ts';
import { type TokenRow, tokenRow } from '../audit/rows/tokenRow.ts';
import { type TokenText, tokenContext } from '../audit/tokenText.ts';
import type { ReaderName } from './datasetReader.ts';
import type { ReaderRow } from './runReader.ts';

/** Compares a trainer's rows with those of the files that it read: one item a row of either side, undefined where they agree. */
export async function* differingRows(
  part: DatasetPart,
  trainer: ReaderName,
  trainerRows: AsyncGenerator<ReaderRow>,
  { readRows, settings }: DatasetAudit,
): AsyncGenerator<AuditFinding | undefined> {
  for (const file of part.files) {
    for await (const source of readRows(file)) {
      const next = await trainerRows.next();
      const ours = await ourRow(source, settings.tokenText);
      if (next.done) yield finding(trainer, source, 'the trainer has no row for it', null, null);
      else yield ours && difference(trainer, source, ours, next.value);
    }
  }
  for await (const row of trainerRows) {
    const source = { file: part.path, row: null };
    yield finding(
      trainer,
      source,
      `the trainer has one more row, of ${row.input_ids.length} tokens`,
      null,
      null,
    );
  }
}

async function ourRow(row: SourceRow, tokenText: TokenText): Promise<TokenRow | undefined> {
  const read = 'value' in row ? readDatasetRow(row.value) : undefined;
  return read === undefined || isProblem(read) || read.pair ? undefined : tokenRow(read, tokenText);
}

function difference(
  trainer: ReaderName,
  source: SourceRow,
  { row, trained }: TokenRow,
  theirs: ReaderRow,
): AuditFinding | undefined {
  const labels = row.ids.map((id, token) => (trained[token] === 1 ? id : ignoredLabel));
  const lists = [
    { name: 'id', own: row.ids, other: theirs.input_ids },
    { name: 'label', own: labels, other: theirs.labels },
  ] as const;
  for (const { name, own, other } of lists) {
    const token = firstDifference(own, other);
    if (token === undefined) continue;
    const message = `the trainer has the ${name} ${other[token] ?? 'none'}, the row ${own[token] ?? 'none'}`;
    return finding(trainer, source, message, token, tokenContext(row, token));
  }
  return undefined;
}

function firstDifference(one: readonly number[], other: readonly number[]): number | undefined {
  const at = one.findIndex((number, place) => number !== other[place]);
  if (at >= 0) return at;
  return one.length === other.length ? undefined : one.length;
}

function finding(
  trainer: ReaderName,
  { file, row }: Pick<AuditFinding, 'file' | 'row'>,
  problem: string,
  token: number | null,
  context: TokenContext | null,
): AuditFinding {
  const message = `${trainer}: ${problem}`;
  return { kind: 'trainer_differs', file, row, token, tokens: token === null ? 0 : 1, message, context };
}
