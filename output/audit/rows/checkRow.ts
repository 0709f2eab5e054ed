import type { DatasetRow } from '../../../schemas/rows/datasetRow.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { AuditSettings, RowProblem } from '../expectation/auditSettings.ts';
import { type ExpectedRow, type ExpectedSpan, expectRow } from '../expectation/expectRow.ts';
import type { EncodedText } from '../tokenText.ts';
import { maskProblems, unclearProblems, weightProblems } from './maskProblems.ts';
import { type TokenRow, tokenRow } from './tokenRow.ts';

/** A row, looked at. */
export interface CheckedRow {
  readonly row: EncodedText;
  readonly trained: Uint8Array;
  readonly problems: readonly RowProblem[];
  /** The stretch that each token lies in; empty where the row's text is not known. */
  readonly spanOfToken: readonly ExpectedSpan[];
  /** Whether no end of a turn follows the answer. */
  readonly isOpen: boolean;
}

/** Holds a row's ids and mask against what its own text says. */
export async function checkRow(
  said: DatasetRow,
  settings: AuditSettings,
  trajectory: Trajectory | undefined,
): Promise<CheckedRow> {
  const actual = await tokenRow(said, settings.tokenText, settings.observationTag);
  const { row, trained, whole } = actual;
  if (whole === undefined) {
    return { row, trained, problems: actual.problems, spanOfToken: [], isOpen: false };
  }
  // What LLaMA-Factory does with its ranking layout stands in our README: here it is held against that.
  const trainsWholeAnswers = settings.own && said.maskedBy === 'answer';
  const expected = expectRow(whole, { ...settings, trainsWholeAnswers }, trajectory);
  const wanted = settings.encodedApart ? await encodedApart(whole, expected, settings) : whole;
  const difference = idProblem(said, row, wanted, settings);
  // Where ids and places don't belong together, or nobody knows the parties, no mask can be judged.
  const places = said.tokens ? wanted : row;
  const spanOfToken = difference && said.tokens ? [] : spansOfTokens(places, expected.spans);
  const ownProblems = [...actual.problems, ...(difference ? [difference] : []), ...expected.problems];
  const canJudge = expected.isClear && spanOfToken.length > 0 && isPlausible(actual);
  const problems = [...ownProblems];
  if (canJudge) {
    const found = maskProblems({ places, trained, spans: expected.spans, spanOfToken }, ownProblems);
    // Of other people's turns, their own flags say which are left out.
    const isAsked = said.maskedBy === 'turns' && !settings.own;
    problems.push(...found.filter(({ kind }) => !(isAsked && kind === 'model_untrained')));
    problems.push(...unclearProblems(expected.unclear, places, trained));
    const weights = said.tokens?.lossWeights ?? said.tokens?.lossMask;
    // What other people's weights should be, nobody says.
    if (weights && settings.own)
      problems.push(...weightProblems(weights, trained, spanOfToken, settings.mask));
  }
  return { row: { ...places, ids: row.ids }, trained, problems, spanOfToken, isOpen: expected.isOpen };
}

/** A row that never reaches training, or whose mask has another length, has no mask to judge. */
function isPlausible({ problems }: TokenRow): boolean {
  return !problems.some(({ kind }) => kind === 'dropped_by_fork' || kind === 'wrong_lengths');
}

/** The row as it is when stretches of equal loss weight are encoded each by itself. */
function encodedApart(
  whole: EncodedText,
  { spans }: ExpectedRow,
  { mask, tokenText }: AuditSettings,
): Promise<EncodedText> {
  const texts: string[] = [];
  let before: number | undefined;
  for (const { from, to, tag, loss, party } of spans) {
    const weight = loss === 'out' ? 0 : party === 'model' ? (mask.tag_weights[tag] ?? 1) : 1;
    const text = whole.text.slice(from, to);
    if (weight === before) texts.push(`${texts.pop()}${text}`);
    else texts.push(text);
    before = weight;
  }
  return tokenText.encodeApart(texts);
}

/** Ids that are not those of the row's text. Undefined where they are. */
function idProblem(
  { tokens }: DatasetRow,
  row: EncodedText,
  wanted: EncodedText,
  { tokenText, encodedApart }: AuditSettings,
): RowProblem | undefined {
  const at = row.ids.findIndex((id, token) => id !== wanted.ids[token]);
  const token = at < 0 && row.ids.length !== wanted.ids.length ? row.ids.length : at;
  if (token < 0) return undefined;
  const control = tokenText.controls.get(wanted.ids[token] ?? -1);
  if (!tokens) {
    if (encodedApart) return undefined;
    const message =
      'a token of the whole text lies across the border of two turns, which the trainer tokenises apart';
    return { kind: 'boundary_token', message, token, tokens: 1 };
  }
  if (control !== undefined) {
    const message = `the text spells ${control} in ordinary tokens: a trainer that reads the text would see a control token`;
    return { kind: 'control_token_in_text', message, token, tokens: 1 };
  }
  const message = `${tokenText.name} makes ${wanted.ids[token] ?? 'no id'} of this text, the row has ${row.ids[token] ?? 'none'}`;
  return { kind: 'foreign_ids', message, token, tokens: 1 };
}

/** The stretch in which each token begins. */
function spansOfTokens(row: EncodedText, spans: readonly ExpectedSpan[]): ExpectedSpan[] {
  let at = 0;
  return row.starts.map((start) => {
    while (at < spans.length - 1 && spans[at]!.to <= start) at += 1;
    return spans[at]!;
  });
}
