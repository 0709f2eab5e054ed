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
  /** Handling of rows with a token across a border, see `tokeniseRow`. */
  readonly boundaryTokens: DatasetConfig['boundary_tokens'];
  /** Maximum tokens of a row; a longer one is cut at the end if that makes it fit. Default: no limit. */
  readonly cutoffLen?: number;
}

/**
 * Renders a trajectory for every format. Returns the whole row if no cut makes it fit.
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

/** Row of the first `kept` segments. Only the complete row ends the model's turn. */
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
 * Renders the beginning of a trajectory with the texts and ids of its row, for students and rows of tasks.
 *
 * @throws RecordFailure for texts that cannot become a row
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

/** Joins text up to the next control token: a border inside a token matters for rows, not for prompts. */
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

/** Pieces of a row with these segments; `ended` adds the end of the model's turn. */
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
 * Numbers of segments that a cut row may keep, ascending. It ends with a trained segment, since later tokens add no
 * loss, and drops at least one. `last_steps` applies to the cut row.
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
 * Renders the longest prefix of a row that fits; undefined if even the shortest does not. Rows must grow with the
 * number of kept segments.
 *
 * @param places - Numbers of segments that a row may keep, ascending.
 * @param render - Renders the row with a number of segments.
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
