import { lineColumns } from '../../schemas/coa/parseIssue.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { type DatasetRow, isProblem } from '../../schemas/rows/datasetRow.ts';
import { withTokenText } from '../../schemas/rows/tokens.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { simulateFork } from './afmFork.ts';
import { type ExpectedRow, type ExpectedSpan, expectRow } from './expectRow.ts';
import { maskFaults, unclearFaults, weightFaults } from './maskFaults.ts';
import { type Fault, type Finding, fault, type MaskSettings, type RuleName, ruleTable } from './rules.ts';
import { type TextFault, textFaults, trajectoryProfile } from './textFaults.ts';
import { tokenRow } from './tokenRow.ts';
import { type EncodedText, type TokenText, tokenContext } from './tokenText.ts';

export interface CheckSettings extends MaskSettings {
  /** Candidate profiles of rows; undefined: skip the rules on texts. */
  readonly profiles: readonly Profile[] | undefined;
  /** Profile of every row, if the user names one. */
  readonly profile?: Profile | undefined;
  /** Tests whether a row's observations lack its answer; absent: not tested. */
  readonly isUngrounded?: (row: JudgedRow) => boolean;
}

/** Row with an answer to search for in its observations. */
export interface JudgedRow {
  readonly profile: Profile;
  readonly text: string;
  readonly said: DatasetRow;
  readonly trajectory: Trajectory | undefined;
}

interface RowContext {
  readonly trajectory?: Trajectory | undefined;
  readonly alignment?: Fault | undefined;
  /** True if its tokens and mask are checked. */
  readonly withTokens: boolean;
  /** Replaces {@link checkTokens} for rows without a trajectory. */
  readonly checkTokens?: () => Promise<CheckedTokens>;
}

type RowFinding = Omit<Finding, 'file' | 'row' | 'side' | 'file_line'>;

/** Tokens of a row and their spans; empty if the row's text is unknown. */
export interface CheckedTokens {
  readonly row: EncodedText;
  readonly trained: Uint8Array;
  readonly faults: readonly Fault[];
  readonly spanOfToken: readonly ExpectedSpan[];
  /** True if no end of turn follows the answer. */
  readonly isOpen: boolean;
}

interface CheckedRow {
  readonly findings: readonly RowFinding[];
  readonly tokens: CheckedTokens | undefined;
  /** Profile that the text was checked against; undefined for ordinary chats. */
  readonly profile: { readonly name: string; readonly isGuessed: boolean } | undefined;
}

/** Lists all faults of an answer. */
export async function rowFindings(
  said: DatasetRow,
  settings: CheckSettings,
  context: RowContext,
): Promise<CheckedRow> {
  const { found, profile, grounding } = await textFindings(said, settings, context);
  const check = context.checkTokens ?? (() => checkTokens(said, settings, context.trajectory));
  const tokens = context.withTokens ? await check() : undefined;
  const told = new Set<RuleName>(found.map(({ rule }) => rule));
  const faults = [...alignmentFaults(context.alignment, tokens), ...(tokens?.faults ?? [])];
  const ofTokens = faults
    .filter(({ rule }) => !told.has(rule))
    .map((each) => tokenFinding(each, tokens?.row));
  const nulls = said.hasNullArguments
    ? [
        placeless(
          'null_arguments',
          'arguments of a call hold null, which is trained as the words of the model',
        ),
      ]
    : [];
  return { findings: [...found, ...grounding, ...nulls, ...ofTokens], tokens, profile };
}

function tokenFinding({ rule, message, token, tokens }: Fault, row: EncodedText | undefined): RowFinding {
  const context = token === null || row === undefined ? null : tokenContext(row, token);
  return { ...placeless(rule, message), token, tokens, context };
}

/** Creates a finding without a position. */
export function placeless(rule: RuleName, message: string) {
  const { severity } = ruleTable[rule];
  return { rule, severity, line: null, column: null, token: null, tokens: 0, message, context: null };
}

async function textFindings(
  said: DatasetRow,
  settings: CheckSettings,
  { trajectory, withTokens }: RowContext,
) {
  const none = { found: [] as RowFinding[], profile: undefined, grounding: [] as RowFinding[] };
  if (!settings.profiles) return none;
  const text = await textToCheck(said, settings.tokenText);
  if (text === null) return none;
  const stated =
    settings.profile ?? settings.profiles.find(({ name }) => name === (trajectory?.profile ?? said.profile));
  const profile = stated ?? trajectoryProfile(settings.profiles, text);
  const faults = textFaults(text, profile);
  // Trajectories are also exported in AFM's layout; rows already in it are simulated with their tokens.
  if (profile && withTokens && said.maskedBy === 'origin')
    faults.push(...(await simulateFork(text, settings.tokenText)).faults);
  const controls = [...settings.tokenText.controls.values()];
  const isControl = ({ rule, offset }: TextFault) =>
    settings.own || rule !== 'control_token' || controls.some((token) => text.startsWith(token, offset));
  const found = placed(
    text,
    faults.filter(isControl).sort((a, b) => a.offset - b.offset),
  );
  const isUngrounded = profile && settings.isUngrounded?.({ profile, text, said, trajectory });
  const grounding = isUngrounded
    ? [placeless('ungrounded_answer', 'no observation of the row holds its answer')]
    : [];
  return { found, profile: profile && { name: profile.name, isGuessed: !stated }, grounding };
}

function placed(text: string, faults: readonly TextFault[]): RowFinding[] {
  const places = lineColumns(
    text,
    faults.map(({ offset }) => offset),
  );
  return faults.map(({ rule, message }, at) => ({ ...placeless(rule, message), ...places[at]! }));
}

/** Text of a row's answer without chat markup; null if unknown. */
export async function textToCheck(said: DatasetRow, tokenText: TokenText): Promise<string | null> {
  const read = await withTokenText(said, (ids) => tokenText.textOf(ids));
  return isProblem(read) ? null : read.text;
}

/** Rules that explain a text differing from its trajectory. */
const textRules: ReadonlySet<RuleName> = new Set<RuleName>([
  'foreign_ids',
  'control_token',
  'broken_structure',
  'no_model_turn',
  'truncated_row',
  'missing_end_of_turn',
]);

function alignmentFaults(alignment: Fault | undefined, tokens: CheckedTokens | undefined): Fault[] {
  const isTold = alignment?.rule === 'row_differs' && tokens?.faults.some(({ rule }) => textRules.has(rule));
  return alignment && !isTold ? [alignment] : [];
}

export async function checkTokens(
  said: DatasetRow,
  settings: MaskSettings,
  trajectory: Trajectory | undefined,
): Promise<CheckedTokens> {
  const actual = await tokenRow(said, settings.tokenText, settings.observationTag);
  const { row, trained, whole } = actual;
  if (whole === undefined) return { row, trained, faults: actual.faults, spanOfToken: [], isOpen: false };
  // LLaMA-Factory's ranking layout trains whole answers, as its README says.
  const trainsWholeAnswers = settings.own && said.maskedBy === 'answer';
  const expected = expectRow(whole, { ...settings, trainsWholeAnswers }, trajectory, actual.answerAt);
  const wanted = settings.encodedApart ? await encodedApart(whole, expected, settings) : whole;
  const ofIds = idFaults(said, row, wanted, settings);
  const places = said.tokens ? wanted : row;
  const spanOfToken = ofIds.length > 0 && said.tokens ? [] : spansOfTokens(places, expected.spans);
  const faults = [...actual.faults, ...ofIds, ...expected.faults];
  if (expected.isClear && spanOfToken.length > 0 && actual.hasMask) {
    const found = maskFaults({ places, trained, spans: expected.spans, spanOfToken }, faults);
    faults.push(...(settings.own ? found : faultsOfOthers(said, found)));
    faults.push(...unclearFaults(expected.unclear, places, trained));
    const weights = said.tokens?.lossWeights ?? said.tokens?.lossMask;
    if (weights && settings.own) faults.push(...weightFaults(weights, trained, spanOfToken, settings.mask));
  }
  const { cutoffLen } = settings;
  const surplus = cutoffLen === null ? 0 : row.ids.length - cutoffLen;
  if (surplus > 0) {
    const message = `the row has ${row.ids.length} tokens, the cutoff is ${cutoffLen}`;
    faults.push(fault('too_long', message, cutoffLen, surplus));
  }
  return { row: { ...places, ids: row.ids }, trained, faults, spanOfToken, isOpen: expected.isOpen };
}

/**
 * Faults in rows of other tools: flags and columns select the trained model turns, and a trainer of whole completions
 * also trains foreign turns in them.
 */
function faultsOfOthers({ maskedBy }: DatasetRow, found: readonly Fault[]): Fault[] {
  const isByTurn = ['turns', 'completion', 'texts', 'answer'].includes(maskedBy);
  const left = found.filter(({ rule }) => !(isByTurn && rule === 'model_untrained'));
  const [first] = left.filter(({ rule }) => rule === 'prompt_trained');
  if (maskedBy !== 'completion' || !first) return left;
  const message = 'TRL trains the whole completion, turns of tools and users included';
  const others = left.filter((each) => each !== first);
  return [...others, fault('whole_completion', message, first.token, first.tokens)];
}

/** The row with stretches of equal loss weight encoded separately. */
function encodedApart(whole: EncodedText, { spans }: ExpectedRow, { mask, tokenText }: MaskSettings) {
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

export function idFaults(
  { tokens }: DatasetRow,
  row: EncodedText,
  wanted: EncodedText,
  { tokenText, encodedApart }: MaskSettings,
): Fault[] {
  const at = row.ids.findIndex((id, token) => id !== wanted.ids[token]);
  const token = at < 0 && row.ids.length !== wanted.ids.length ? row.ids.length : at;
  if (token < 0 || (!tokens && encodedApart)) return [];
  if (!tokens) {
    const message =
      'a token of the whole text lies across the border of two turns, which the trainer tokenises apart';
    return [fault('boundary_token', message, token)];
  }
  const control = tokenText.controls.get(wanted.ids[token] ?? -1);
  if (control !== undefined) {
    const message = `the text spells ${control} in ordinary tokens: a trainer that reads the text would see a control token`;
    return [fault('control_token', message, token)];
  }
  const message = `${tokenText.name} makes ${wanted.ids[token] ?? 'no id'} of this text, the row has ${row.ids[token] ?? 'none'}`;
  return [fault('foreign_ids', message, token)];
}

export function spansOfTokens(row: EncodedText, spans: readonly ExpectedSpan[]): ExpectedSpan[] {
  let at = 0;
  return row.starts.map((start) => {
    while (at < spans.length - 1 && spans[at]!.to <= start) at += 1;
    return spans[at]!;
  });
}
