import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetConfig, MaskConfig } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { addedTokensOf } from '../rows/addedTokens.ts';
import { escapeSpecialTokens } from '../rows/escapeSpecialTokens.ts';
import { rowPieces } from '../rows/rowPieces.ts';
import { segmentWeights } from '../rows/segmentWeights.ts';
import { tokeniseRow } from '../rows/tokeniseRow.ts';
import type { DatasetRow } from './datasetFormat.ts';

export interface RowSettings {
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate;
  readonly mask: MaskConfig;
  /** What becomes of a row in which a token lies across a border, see `tokeniseRow`. */
  readonly straddling: DatasetConfig['straddling'];
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
  const { tokenizer, straddling } = settings;
  const beginning = { ...trajectory, segments: trajectory.segments.slice(0, kept) };
  const ended = kept === trajectory.segments.length;
  const { pieces, ...rendered } = rowBeginning(beginning, profile, settings, { ended });
  const tokens = await tokeniseRow(pieces, tokenizer, straddling);
  return { trajectory, profile, pieces, ...rendered, ...tokens };
}

/** What a row's beginning is made of. */
type RowSource = Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'> & {
  readonly quality: Pick<Trajectory['quality'], 'verdicts'>;
};

/**
 * The pieces of a row that holds these segments.
 *
 * @param options - `ended`: the model has ended its turn after them.
 */
export function rowBeginning(
  beginning: RowSource,
  profile: Profile,
  { tokenizer, template, mask }: Pick<RowSettings, 'tokenizer' | 'template' | 'mask'>,
  { ended }: { readonly ended: boolean },
) {
  const added = addedTokensOf(tokenizer);
  const { texts: rendered, placeholders, ...counts } = escapeSpecialTokens(beginning, profile, added.escaper);
  const { prompt, endOfTurn } = template.render(rendered, placeholders);
  const pieces = rowPieces(
    { prompt, segments: rendered.segments, endOfTurn: ended ? endOfTurn : '' },
    segmentWeights(beginning, profile, mask),
    added,
  );
  return { rendered, pieces, ...counts };
}

/** A row that was cut to fit. */
interface CutRow<Row> {
  readonly row: Row;
  /** How many segments it keeps, from the first. */
  readonly kept: number;
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
 * Renders the longest beginning of a row that fits; undefined when not even the shortest does. Rows must grow with
 * what they keep.
 *
 * @param places - Numbers of segments that a row may keep, ascending.
 * @param render - Renders the row that keeps so many segments.
 */
export async function cutRow<Row>(
  places: readonly number[],
  render: (kept: number) => Promise<Row>,
  fits: (row: Row) => boolean,
): Promise<CutRow<Row> | undefined> {
  let longest: CutRow<Row> | undefined;
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
