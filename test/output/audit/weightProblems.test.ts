import { expect, test } from 'vitest';
import type { ExpectedSpan } from '../../../output/audit/expectation/expectRow.ts';
import { weightProblems } from '../../../output/audit/rows/maskProblems.ts';
import { maskConfigSchema } from '../../../schemas/config/dataset.ts';

const span = (tag: string, party: ExpectedSpan['party']): ExpectedSpan => ({
  from: 0,
  to: 1,
  party,
  tag,
  block: null,
  body: null,
  loss: party === 'model' ? 'in' : 'out',
});
const spans = [span('prompt', 'prompt'), span('plan', 'model'), span('think', 'model')];
const mask = maskConfigSchema.parse({ tag_weights: { plan: 0.1 } });
const trained = Uint8Array.of(0, 1, 1);

test('weights are those of the tags, 1 for others, 0 where nothing is trained, as 32 bits hold them', () => {
  expect(weightProblems([...Float32Array.of(0, 0.1, 1)], trained, spans, mask)).toEqual([]);
});

test.for([
  [[0, 1, 1], 1],
  [[0.1, 0.1, 1], 0],
  [[0, 0.1], 2],
] as const)('%j is wrong at token %i', ([weights, token]) => {
  expect(weightProblems(weights, trained, spans, mask)).toMatchObject([{ kind: 'wrong_weight', token }]);
});
