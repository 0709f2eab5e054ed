import type { AuditFinding } from '../../schemas/audit.ts';
import { readDatasetRow } from '../../schemas/rows/codecTable.ts';
import { isProblem } from '../../schemas/rows/datasetRow.ts';
import { ignoredLabel } from '../../schemas/rows/tokens.ts';
import type { DatasetAudit } from '../audit/auditDataset.ts';
import { fileFinding } from '../audit/fileProblems.ts';
import type { DatasetPart } from '../audit/read/datasetParts.ts';
import type { SourceRow } from '../audit/read/readRows.ts';
import { type TokenRow, tokenRow } from '../audit/rows/tokenRow.ts';
import { type EncodedText, type TokenText, tokenContext } from '../audit/tokenText.ts';
import type { ReaderName } from './readerTable.ts';
import type { ReaderRow } from './runReader.ts';

/** Compares a trainer's rows with those of the files that it read: one item a row of either side, undefined where they agree. */
export async function* differingRows(
  part: DatasetPart,
  trainer: ReaderName,
  trainerRows: AsyncGenerator<ReaderRow>,
  { readRows, settings }: DatasetAudit,
): AsyncGenerator<AuditFinding | undefined> {
  const finding = (
    { file, row }: Pick<AuditFinding, 'file' | 'row'>,
    problem: string,
    at?: { readonly token: number; readonly row: EncodedText },
  ): AuditFinding => ({
    ...fileFinding('trainer_differs', file, `${trainer}: ${problem}`),
    row,
    ...(at && { token: at.token, tokens: 1, context: tokenContext(at.row, at.token) }),
  });
  for (const file of part.files) {
    for await (const source of readRows(file)) {
      const next = await trainerRows.next();
      const ours = await ourRow(source, settings.tokenText);
      if (next.done) yield finding(source, 'the trainer has no row for it');
      else {
        const found = ours && difference(ours, next.value);
        yield found && finding(source, found.problem, { token: found.token, row: ours.row });
      }
    }
  }
  for await (const { input_ids: ids } of trainerRows) {
    const source = { file: part.path, row: null };
    yield finding(source, `the trainer has one more row, of ${ids.length} tokens`);
  }
}

async function ourRow(row: SourceRow, tokenText: TokenText): Promise<TokenRow | undefined> {
  const read = 'value' in row ? readDatasetRow(row.value) : undefined;
  return read === undefined || isProblem(read) || read.pair ? undefined : tokenRow(read, tokenText);
}

function difference({ row, trained }: TokenRow, theirs: ReaderRow) {
  const labels = row.ids.map((id, token) => (trained[token] === 1 ? id : ignoredLabel));
  const lists = { id: [row.ids, theirs.input_ids], label: [labels, theirs.labels] } as const;
  for (const [name, [own, other]] of Object.entries(lists)) {
    const length = Math.max(own.length, other.length);
    for (let token = 0; token < length; token += 1) {
      if (own[token] === other[token]) continue;
      const problem = `the trainer has the ${name} ${other[token] ?? 'none'}, the row ${own[token] ?? 'none'}`;
      return { problem, token };
    }
  }
  return undefined;
}
