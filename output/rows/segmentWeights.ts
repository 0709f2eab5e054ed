import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { DatasetConfig, MaskConfig } from '../../schemas/config/dataset.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import type { TokenisedRow } from './tokeniseRow.ts';

/**
 * The loss weight of each segment of a trajectory. The environment's is 0 whatever the mask says; each option of the
 * mask lowers the model's or scales it, and a segment that any of them leaves out is out. Weights are those of whole
 * segments, tags included: no other border is safe to lie between two tokens.
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
  // A tag may have the name of something that every object inherits.
  return Object.hasOwn(tag_weights, tag) ? tag_weights[tag]! : 1;
}

/** Place of the first segment of the last `steps` steps: a step ends with an observation, or with the row. */
function startOfLastSteps(segments: readonly Segment[], steps: number): number {
  const starts = segments.flatMap(({ origin }, at) =>
    origin === 'model' && segments[at - 1]?.origin !== 'model' ? [at] : [],
  );
  return starts.at(-steps) ?? 0;
}

/** The loss weight of every token of a row; those of a row without weights are its mask. */
export function tokenWeights({
  weights,
  lossMask,
}: Pick<TokenisedRow, 'lossMask'> & { readonly weights?: Float32Array | undefined }): Float32Array {
  return weights ?? Float32Array.from(lossMask);
}

/** Whether a dataset gives tokens weights other than 0 and 1, which few trainers know. */
export function usesLossWeights({
  mask,
  mix = [],
}: Pick<DatasetConfig, 'mix'> & { readonly mask: Pick<MaskConfig, 'tag_weights'> }): boolean {
  const weights = [...Object.values(mask.tag_weights), ...mix.map(({ weight }) => weight)];
  return weights.some((weight) => weight !== 0 && weight !== 1);
}
