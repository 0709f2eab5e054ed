import fc from 'fast-check';
import { structuralTags } from '../../schemas/coa/profiles/builtin.ts';
import type { MaskConfig } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';

/** Any mask over the built-in profiles' tags. */
export const maskArbitrary: fc.Arbitrary<MaskConfig> = fc.record({
  thinking: fc.boolean(),
  tag_weights: fc.dictionary(
    fc.constantFrom(...structuralTags.filter((tag) => tag !== 'observation')),
    fc.constantFrom(0, 0.25, 1, 2),
    { maxKeys: 4, noNullPrototype: true },
  ),
  last_steps: fc.option(fc.integer({ min: 1, max: 8 })),
  marked: fc.constantFrom('train', 'skip'),
});

/** The trajectory with one more verdict, which marks those of the places that it has. */
export function withMarks(trajectory: Trajectory, places: readonly number[]): Trajectory {
  const marked_segments = places.filter((at) => at < trajectory.segments.length);
  if (marked_segments.length === 0) return trajectory;
  const { quality } = trajectory;
  const verdict: Verdict = {
    subject: 'suggested_answer',
    judge: 'exact_match',
    judgement: 'incorrect',
    score: 0,
    evidence: {},
    marked_segments,
  };
  return { ...trajectory, quality: { ...quality, verdicts: [...quality.verdicts, verdict] } };
}
