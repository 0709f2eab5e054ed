import { expect, test } from 'vitest';
import type { Party } from '../../../output/check/answerSpans.ts';
import { weightFaults } from '../../../output/check/maskFaults.ts';
import { maskConfigSchema } from '../../../schemas/config/dataset.ts';

const spans = [
  { tag: 'prompt', party: 'prompt' },
  { tag: 'plan', party: 'model' },
  { tag: 'think', party: 'model' },
] as const satisfies readonly { tag: string; party: Party }[];
const mask = maskConfigSchema.parse({ tag_weights: { plan: 0.1 } });
const trained = Uint8Array.of(0, 1, 1);

test('weights are those of the tags, 1 for others, 0 where nothing is trained, as 32 bits hold them', () => {
  expect(weightFaults([...Float32Array.of(0, 0.1, 1)], trained, spans, mask)).toEqual([]);
});

test.for([
  [[0, 1, 1], 1],
  [[0.1, 0.1, 1], 0],
  [[0, 0.1], 2],
] as const)('%j is wrong at token %i', ([weights, token]) => {
  expect(weightFaults(weights, trained, spans, mask)).toMatchObject([{ rule: 'wrong_weight', token }]);
});
