import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { TrajectoryBeginning } from '../../contract/trajectoryPrompt.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetConfig, MaskConfig } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { addedTokensOf } from '../rows/addedTokens.ts';
import { escapeSpecialTokens } from '../rows/escapeSpecialTokens.ts';
import { type Piece, rowPieces } from '../rows/rowPieces.ts';
import { segmentWeights } from '../rows/segmentWeights.ts';
import { tokeniseRow } from '../rows/tokeniseRow.ts';
import type { DatasetRow } from './datasetFormat.ts';

export interface RowSettings {
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate;
  readonly mask: MaskConfig;
  /** What becomes of a row in which a token lies across a border, see `tokeniseRow`. */
  readonly boundaryTokens: DatasetConfig['boundary_tokens'];
  /** Most tokens of a row: the end of a longer one is cut off where that makes it fit. Absent: rows stay whole. */
  readonly cutoffLen?: number;
}

/**
 * Renders a trajectory for every format. A row that no cut makes fit is given back whole.
 *
 * @throws RecordFailure for a row that can't be tokenised exactly
 */
export async function renderRow(
  trajectory: Trajectory,
  profile: Profile,
  settings: RowSettings,
): Promise<DatasetRow> {
  const whole = await renderBeginning(trajectory, profile, settings, trajectory.segments.length);
  const { cutoffLen, mask } = settings;
  if (cutoffLen === undefined || whole.inputIds.length <= cutoffLen) return whole;
  const cut = await cutRow(
    cutPlaces(trajectory, profile, mask),
    (kept) => renderBeginning(trajectory, profile, settings, kept),
    (row) => row.inputIds.length <= cutoffLen,
  );
  if (cut === undefined) return whole;
  const segments = trajectory.segments.length - cut.kept;
  return { ...cut.row, cut: { segments, tokens: whole.inputIds.length - cut.row.inputIds.length } };
}

/** The row of the first `kept` segments. Only after all of them has the model ended its turn. */
async function renderBeginning(
  trajectory: Trajectory,
  profile: Profile,
  settings: RowSettings,
  kept: number,
): Promise<DatasetRow> {
  const beginning = { ...trajectory, segments: trajectory.segments.slice(0, kept) };
  const ended = kept === trajectory.segments.length;
  const { pieces, ...rendered } = beginningPieces(beginning, profile, settings, ended);
  const tokens = await tokeniseRow(pieces, settings.tokenizer, settings.boundaryTokens);
  return { trajectory, profile, pieces, ...rendered, ...tokens };
}

/**
 * Renders the beginning of a trajectory: its texts and ids are those with which its row begins, for players and for
 * rows of tasks alike.
 *
 * @throws RecordFailure for texts of which no row could be made
 */
export async function renderPromptOf(
  beginning: TrajectoryBeginning,
  profile: Profile,
  settings: RowSettings,
) {
  const { tokenizer, boundaryTokens } = settings;
  const unjudged = { ...beginning, segments: [...beginning.segments], quality: { verdicts: [] } };
  const { pieces, rendered } = beginningPieces(unjudged, profile, settings, false);
  const encoded = boundaryTokens === 'apart' ? pieces : asOneText(pieces);
  const { inputIds } = await tokeniseRow(encoded, tokenizer, boundaryTokens);
  return { pieces, rendered, inputIds };
}

/** Text up to the next control token as one: a border inside a token is the row's fault, and no prompt's. */
function asOneText(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { ...last, text: last.text + piece.text };
    else joined.push({ ...piece, weight: 0 });
  }
  return joined;
}

/** The pieces of a row that holds these segments; `ended`: the model has ended its turn after them. */
function beginningPieces(
  beginning: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'> & {
    readonly quality: Pick<Trajectory['quality'], 'verdicts'>;
  },
  profile: Profile,
  { tokenizer, template, mask }: RowSettings,
  ended: boolean,
) {
  const added = addedTokensOf(tokenizer);
  const { texts: rendered, placeholders, ...counts } = escapeSpecialTokens(beginning, profile, added.escaper);
  const { prompt, endOfTurn } = template.render(rendered, placeholders);
  const texts = { prompt, segments: rendered.segments, endOfTurn: ended ? endOfTurn : '' };
  return { rendered, pieces: rowPieces(texts, segmentWeights(beginning, profile, mask), added), ...counts };
}

/**
 * How many segments a cut row of this trajectory may keep, ascending: it ends with a trained one, so that nothing is
 * paid for that no loss comes from, and leaves at least one out. Of `last_steps` a cut row has its own last steps.
 */
export function cutPlaces(
  trajectory: Pick<Trajectory, 'segments' | 'quality'>,
  profile: Profile,
  mask: MaskConfig,
): number[] {
  const weights = segmentWeights(trajectory, profile, { ...mask, last_steps: null });
  return weights.flatMap((weight, at) => (weight > 0 && at + 1 < weights.length ? [at + 1] : []));
}

/**
 * Renders the longest beginning of a row that fits, and how many segments it keeps; undefined when not even the
 * shortest does. Rows must grow with what they keep.
 *
 * @param places - Numbers of segments that a row may keep, ascending.
 * @param render - Renders the row that keeps so many segments.
 */
export async function cutRow<Row>(
  places: readonly number[],
  render: (kept: number) => Promise<Row>,
  fits: (row: Row) => boolean,
): Promise<{ readonly row: Row; readonly kept: number } | undefined> {
  let longest: { readonly row: Row; readonly kept: number } | undefined;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const kept = places[middle]!;
    const row = await render(kept);
    if (fits(row)) {
      longest = { row, kept };
      low = middle + 1;
    } else high = middle;
  }
  return longest;
}
