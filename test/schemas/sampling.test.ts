import { expect, test } from 'vitest';
import { keyTree, shapingPart } from '../../schemas/config/keyTree.ts';
import { samplingConfigSchema, sentSamplingSchema } from '../../schemas/config/sampling.ts';
import { requestBody } from '../../teachers/client/createChatModel.ts';
import { everySampling } from '../support/everySampling.ts';

const schema = samplingConfigSchema;

test('the configuration takes each key, fingerprints hold it, and a record keeps it', () => {
  expect(Object.keys(schema.shape).sort()).toEqual(Object.keys(everySampling).sort());
  expect(schema.parse(everySampling)).toEqual(everySampling);
  expect(shapingPart(keyTree(schema), everySampling, 'chat')).toEqual(everySampling);
  expect(sentSamplingSchema.parse(everySampling)).toEqual(everySampling);
});

test('a request holds what is set, and nothing else', () => {
  const body = (sampling: object, model = 'm') => requestBody(model, { messages: [], sampling }, null);
  const { extra_body, ...named } = everySampling;
  expect(body({})).toEqual({ model: 'm', messages: [] });
  expect(body(everySampling)).toEqual({ model: 'm', messages: [], ...named, ...extra_body });
  expect(body({ max_tokens: 5 }, 'gpt-5')).toMatchObject({ max_completion_tokens: 5 });
  expect(body({ temperature: 1, extra_body: { temperature: 0 } })).toMatchObject({ temperature: 1 });
});

test.each([
  { top_k: -2 },
  { top_k: 1.5 },
  { extra_body: { messages: [] } },
  { extra_body: { max_completion_tokens: 1_000_000 } },
  { extra_body: { seed: 1 } },
])('%o is refused', (sampling) => {
  expect(schema.safeParse(sampling).success).toBe(false);
});
