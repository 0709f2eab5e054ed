import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { segmentWeights, usesLossWeights } from '../../../output/rows/segmentWeights.ts';
import type { Profile } from '../../../schemas/coa/profile.ts';
import { type MaskConfig, maskConfigSchema } from '../../../schemas/config/dataset.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { withMarks } from '../../support/maskArbitrary.ts';
import { trajectoryOf } from '../../support/trajectoryArbitrary.ts';
import { maskedCase, mhqa, modelBlock, searched } from '../support/maskedCase.ts';

const defaults = maskConfigSchema.parse({});
const weightsOf = (mask: Partial<MaskConfig>, trajectory: Trajectory = searched, profile: Profile = mhqa) =>
  segmentWeights(trajectory, profile, { ...defaults, ...mask });

describe('the weight of a segment', () => {
  test('is 1 for the model and 0 for the environment', () => {
    expect(weightsOf({})).toEqual([1, 1, 1, 1, 0, 1, 1, 0, 1, 1]);
  });

  test('is 0 for thinking that is not trained, whatever its tag is called', () => {
    expect(weightsOf({ thinking: false })).toEqual([0, 1, 0, 1, 0, 0, 1, 0, 0, 1]);
    const muse: Profile = {
      ...mhqa,
      tags: mhqa.tags.map((rule) => (rule.kind === 'thinking' ? { ...rule, tag: 'muse' } : rule)),
    };
    const mused = trajectoryOf(muse, [modelBlock('muse'), modelBlock('answer')], 'Who?', 'she');
    expect(weightsOf({ thinking: false }, mused, muse)).toEqual([0, 1]);
  });

  test('is what its tag has, but for the environment', () => {
    const tag_weights = { wiki_search: 0.25, answer: 2, plan: 0, observation: 1 };
    expect(weightsOf({ tag_weights })).toEqual([1, 0, 1, 0.25, 0, 1, 0.25, 0, 1, 2]);
  });

  test('of a tag with the name of what objects inherit is 1', () => {
    const odd = trajectoryOf(mhqa, [modelBlock('constructor')], 'Who?', 'she');
    expect(weightsOf({}, odd)).toEqual([1]);
  });

  test.each([
    [1, [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]],
    [2, [0, 0, 0, 0, 0, 1, 1, 0, 1, 1]],
    [3, [1, 1, 1, 1, 0, 1, 1, 0, 1, 1]],
    [4, [1, 1, 1, 1, 0, 1, 1, 0, 1, 1]],
  ])('is 0 before the last %i steps', (last_steps, expected) => {
    expect(weightsOf({ last_steps })).toEqual(expected);
  });

  test('is 0 where a verdict marks it, if that is asked for', () => {
    const marked = withMarks(withMarks(searched, [0, 4]), [9]);
    expect(weightsOf({ marked: 'skip' }, marked)).toEqual([0, 1, 1, 1, 0, 1, 1, 0, 1, 0]);
    expect(weightsOf({}, marked)).toEqual(weightsOf({}));
  });
});

describe('for every trajectory and mask', () => {
  test('the environment is never trained, and the model never but by its tag’s weight', () => {
    fc.assert(
      fc.property(maskedCase, ({ trajectory, profile, mask }) => {
        const weights = segmentWeights(trajectory, profile, mask);
        expect(weights).toHaveLength(trajectory.segments.length);
        trajectory.segments.forEach(({ origin, tag }, at) => {
          const full = origin === 'model' ? (mask.tag_weights[tag] ?? 1) : 0;
          expect([0, full]).toContain(weights[at]);
        });
      }),
    );
  });

  test('options compose: a segment is left out if and only if one of them alone leaves it out', () => {
    fc.assert(
      fc.property(maskedCase, ({ trajectory, profile, mask }) => {
        const { thinking, tag_weights, last_steps, marked } = mask;
        const alone = [{ thinking }, { tag_weights }, { last_steps }, { marked }].map((option) =>
          segmentWeights(trajectory, profile, { ...defaults, ...option }),
        );
        const product = trajectory.segments.map((_, at) => alone.reduce((so, own) => so * own[at]!, 1));
        expect(segmentWeights(trajectory, profile, mask)).toEqual(product);
      }),
    );
  });

  test('more steps never train less, and as many as there are train all', () => {
    fc.assert(
      fc.property(maskedCase, fc.integer({ min: 1, max: 9 }), ({ trajectory, profile, mask }, last_steps) => {
        const some = segmentWeights(trajectory, profile, { ...mask, last_steps });
        const more = segmentWeights(trajectory, profile, { ...mask, last_steps: last_steps + 1 });
        expect(some.every((weight, at) => weight <= more[at]!)).toBe(true);
        const steps = trajectory.segments.filter((segment) => segment.origin === 'environment').length + 1;
        const all = segmentWeights(trajectory, profile, { ...mask, last_steps: steps });
        expect(all).toEqual(segmentWeights(trajectory, profile, { ...mask, last_steps: null }));
      }),
    );
  });
});

test.each([
  [{}, false],
  [{ think: 0, plan: 1 }, false],
  [{ think: 0.5 }, true],
  [{ think: 2 }, true],
])('%j weighs tokens otherwise than in or out: %s', (tag_weights, weighs) => {
  expect(usesLossWeights({ mask: { tag_weights } })).toBe(weighs);
});
