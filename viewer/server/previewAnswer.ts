import { join } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { checkSettingsOf } from '../../operations/checkFiles.ts';
import { datasetParts, readRows, type SourceRow } from '../../output/check/datasetFiles.ts';
import { type ExpectedSpan, expectRow } from '../../output/check/expectRow.ts';
import type { MaskSettings } from '../../output/check/rules.ts';
import { type TokenRow, tokenRow } from '../../output/check/tokenRow.ts';
import { readAnswers } from '../../schemas/rows/codecTable.ts';
import {
  type DatasetRow,
  isProblem,
  pairSides,
  problemText,
  type RowProblem,
} from '../../schemas/rows/datasetRow.ts';
import { ownDataset } from './resultAnswers.ts';

/** Maximum row number: finding a row means reading all before it. */
const MAX_PREVIEWED = 100;

/**
 * Row of a dataset file as its trainer reads it: text pieces with author and loss. `file` is in the manifest, `row`
 * counts from 1.
 *
 * @throws UserError for a file without rows in the manifest, and an unreadable one
 */
export async function previewAnswer(runFolder: string, query: URLSearchParams) {
  const folder = await ownDataset(runFolder);
  const dataset = await datasetParts(folder);
  const path = query.get('file') ?? '';
  const file = dataset.own?.manifest.files.find((one) => one.path === path && one.rows !== null);
  if (!file) throw new UserError(`no file of rows "${path}"`);
  const rows = Math.min(file.rows ?? 0, MAX_PREVIEWED);
  const number = Math.max(1, Math.min(rows, Number(query.get('row')) || 1));
  const row = await rowAt(join(folder, path), number);
  const settings = await checkSettingsOf(dataset);
  const answers = 'value' in row ? readAnswers(row.value) : [{ path: '', code: 'not_json', ...row }];
  const sides = await Promise.all(answers.map((answer) => sideOf(answer, settings)));
  return {
    row: number,
    rows,
    /** The row's answer, or chosen and rejected answer of a pair. */
    sides: sides.map((side, at) => ({ ...side, name: sides.length > 1 ? pairSides[at]! : null })),
    raw: 'value' in row ? JSON.stringify(row.value, null, 1) : Buffer.from(row.bytes ?? []).toString('utf8'),
  };
}

async function rowAt(file: string, number: number): Promise<SourceRow> {
  for await (const row of readRows(file)) if (row.row === number) return row;
  throw new UserError(`${file} no longer has a row ${number}; export the dataset again`);
}

async function sideOf(said: DatasetRow | RowProblem, settings: MaskSettings) {
  if (isProblem(said)) return { problems: [problemText(said)], tokens: 0, trained: 0, pieces: [] };
  const read = await tokenRow(said, settings.tokenText);
  const own = { ...settings, trainsWholeAnswers: said.maskedBy === 'answer' };
  const spans = read.whole ? expectRow(read.whole, own, undefined).spans : [];
  return {
    problems: read.faults.map(({ message }) => message),
    tokens: read.row.ids.length,
    trained: read.trained.reduce((sum, bit) => sum + bit, 0),
    pieces: piecesOf(read, spans),
  };
}

type PieceLook = 'trained' | 'untrained' | 'prompt' | 'environment';

function untrainedLook(party: ExpectedSpan['party'] | undefined): PieceLook {
  return party === 'prompt' || party === 'environment' ? party : 'untrained';
}

function piecesOf({ row, trained }: TokenRow, spans: readonly ExpectedSpan[]) {
  const pieces: { readonly look: PieceLook; readonly from: number }[] = [];
  let span = 0;
  for (const [token, from] of row.starts.entries()) {
    while (span < spans.length - 1 && spans[span]!.to <= from) span += 1;
    const look = trained[token] === 1 ? 'trained' : untrainedLook(spans[span]?.party);
    if (pieces.at(-1)?.look !== look) pieces.push({ look, from });
  }
  return pieces.map(({ look, from }, at) => ({ look, text: row.text.slice(from, pieces[at + 1]?.from) }));
}
