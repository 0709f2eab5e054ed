import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { DatasetConfig, MaskConfig } from '../../schemas/config/dataset.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import type { TokenisedRow } from './tokeniseRow.ts';

/**
 * Loss weight of each segment of a trajectory. The environment's is always 0; each option of the mask lowers or scales
 * the model's, and excluding a segment wins. Weights apply to whole segments including tags, since no other border is
 * certain to lie between two tokens.
 */
export function segmentWeights(
  {
    segments,
    quality,
  }: Pick<Trajectory, 'segments'> & {
    readonly quality: Pick<Trajectory['quality'], 'verdicts'>;
  },
  profile: Profile,
  mask: MaskConfig,
): number[] {
  const first = mask.last_steps === null ? 0 : startOfLastSteps(segments, mask.last_steps);
  const skipped = mask.marked === 'skip' ? quality.verdicts : [];
  const marked = new Set(skipped.flatMap(({ marked_segments }) => marked_segments ?? []));
  return segments.map((segment, at) => {
    const isOut = segment.origin !== 'model' || at < first || marked.has(at);
    return isOut ? 0 : tagWeight(segment.tag, profile, mask);
  });
}

function tagWeight(tag: string, profile: Profile, { thinking, tag_weights }: MaskConfig): number {
  if (!thinking && tagRule(profile, tag)?.kind === 'thinking') return 0;
  // Own properties only, since a tag may have the name of an inherited one.
  return Object.hasOwn(tag_weights, tag) ? tag_weights[tag]! : 1;
}

/** Index of the first segment of the last `steps` steps; a step ends with an observation, or with the row. */
function startOfLastSteps(segments: readonly Segment[], steps: number): number {
  const starts = segments.flatMap(({ origin }, at) =>
    origin === 'model' && segments[at - 1]?.origin !== 'model' ? [at] : [],
  );
  return starts.at(-steps) ?? 0;
}

/** Loss weight of every token; default: the mask. */
export function tokenWeights({
  weights,
  lossMask,
}: Pick<TokenisedRow, 'lossMask'> & { readonly weights?: Float32Array | undefined }): Float32Array {
  return weights ?? Float32Array.from(lossMask);
}

/** True if a dataset uses weights other than 0 and 1, which few trainers support. */
export function usesLossWeights({
  mask,
  mix = [],
}: Pick<DatasetConfig, 'mix'> & { readonly mask: Pick<MaskConfig, 'tag_weights'> }): boolean {
  const weights = [...Object.values(mask.tag_weights), ...mix.map(({ weight }) => weight)];
  return weights.some((weight) => weight !== 0 && weight !== 1);
}
