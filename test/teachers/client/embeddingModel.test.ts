import { describe, expect, test } from 'vitest';
import { createEndpointPools } from '../../../calls/limits/createEndpointPools.ts';
import type { AttemptToSend, Bill } from '../../../contract/calls.ts';
import type { EmbeddingModel } from '../../../contract/textModels.ts';
import { poolMember } from '../../../pipeline/compose/openModels.ts';
import { type EndpointConfig, endpointConfigSchema } from '../../../schemas/config/endpoint.ts';
import { createEmbeddingModel } from '../../../teachers/client/createEmbeddingModel.ts';
import { createEndpointRegistry } from '../../../teachers/client/endpointCapabilities.ts';
import { embeddingOf } from '../../support/embeddingOf.ts';
import { type EmbeddingFault, embeddings, startEmbeddingServer } from '../../support/startEmbeddingServer.ts';
import { stillClock } from '../support/clocks.ts';
import { rejects } from '../support/startTinyServer.ts';
import { failureOfCall, neverAborted } from '../support/tinyModel.ts';

const apiKey = 'sk-secret-key';
const bills: Bill[] = [];
const attempts: AttemptToSend[] = [];
const meter = {
  drain: neverAborted,
  async admit(attempt: AttemptToSend) {
    attempts.push(attempt);
    return { end: (bill: Bill) => void bills.push(bill) };
  },
};

function modelAt(baseUrl: string, settings: Partial<EndpointConfig> = {}): EmbeddingModel {
  const endpoint = { ...endpointConfigSchema.parse({}), ...settings, base_url: baseUrl };
  const clock = stillClock();
  const pool = createEndpointPools(clock)([poolMember({ ...endpoint, fallback: false }, apiKey)]);
  const { dispatcher } = createEndpointRegistry().capabilitiesFor(endpoint, 'tiny');
  return createEmbeddingModel({ model: 'tiny', endpoint, pool, dispatcher, clock, meter });
}

const texts = ['one river', 'two towns', 'three'];

describe('an embeddings endpoint', () => {
  test('gives a vector a text, by the index that it names, and is billed for the prompt alone', async () => {
    const { baseUrl, requests } = await startEmbeddingServer();
    bills.length = 0;
    attempts.length = 0;
    expect(await modelAt(baseUrl).embed(texts, neverAborted)).toEqual(texts.map(embeddingOf));
    expect(requests[0]!.body).toEqual({ model: 'tiny', input: texts, encoding_format: 'float' });
    expect(requests[0]!.headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(bills).toEqual([
      { kind: 'used', usage: { prompt_tokens: 21, completion_tokens: 0, cached_tokens: 0 } },
    ]);
    expect(attempts).toMatchObject([{ messages: 3, maxTokens: 0 }]);
  });

  test('is not asked for nothing', async () => {
    const { baseUrl, requests } = await startEmbeddingServer();
    expect(await modelAt(baseUrl).embed([], neverAborted)).toEqual([]);
    expect(requests).toEqual([]);
  });

  test.each<[string, EmbeddingFault]>([
    ['429', (_, place) => (place < 2 ? rejects(429, 'slow down') : undefined)],
    ['500', (_, place) => (place < 2 ? rejects(500, 'broken') : undefined)],
    ['a cut connection', (_, place) => (place < 1 ? 'cut' : undefined)],
    ['too few', (given, place) => (place < 1 ? embeddings(given.slice(1).map(() => [1])) : undefined)],
  ])('is asked again after %s', async (_, fault) => {
    const { baseUrl, requests } = await startEmbeddingServer(fault);
    expect(await modelAt(baseUrl).embed(texts, neverAborted)).toEqual(texts.map(embeddingOf));
    expect(requests.length).toBeGreaterThan(1);
  });

  test.each<[string, string, RegExp, EmbeddingFault]>([
    ['too few', 'endpoint_error', /3 texts with 2 embeddings/, () => embeddings([[1], [1]])],
    ['too many', 'endpoint_error', /3 texts with 4/, () => embeddings([[1], [1], [1], [1]])],
    ...[
      [0, 0, 2],
      [0, 1, 3],
      [1, 2, 2],
    ].map((places): [string, string, RegExp, EmbeddingFault] => [
      `the places ${places}`,
      'endpoint_error',
      /two embeddings for one text/,
      () => ({ body: { data: places.map((index) => ({ index, embedding: [1] })) } }),
    ]),
    ['none', 'endpoint_error', /no embeddings/, () => ({ body: { data: 'x' } })],
    ['null', 'endpoint_error', /no embeddings \(at "data/, () => embeddings([[1], [null], [1]])],
    ['NaN', 'endpoint_error', /not JSON/, () => ({ body: '{"data":[{"embedding":[NaN]}]}' })],
    ['unequal lengths', 'endpoint_error', /of 1 numbers/, () => embeddings([[1, 2], [1], [1, 2]])],
    ['zero', 'endpoint_error', /zero or not finite/, () => embeddings([[1], [0], [1]])],
    ['infinity', 'endpoint_error', /zero or not finite/, () => embeddings([[1], [1e300], [1]])],
    ['429', 'endpoint_rate_limited', /slow/, () => rejects(429, 'slow down')],
    ['401', 'endpoint_rejected', /wrong key \[key\]/, () => rejects(401, `wrong key ${apiKey}`)],
    ['too long', 'context_exceeded', /maximum context/, () => rejects(400, 'maximum context length is 9')],
  ])('%s for ever is a failure %s', async (_, cause, message, fault) => {
    const { baseUrl } = await startEmbeddingServer(fault);
    const failure = await failureOfCall(modelAt(baseUrl, { max_retries: 1 }).embed(texts, neverAborted));
    expect(failure).toMatchObject({ cause, message: expect.stringMatching(message) });
    expect(JSON.stringify(failure)).not.toContain(apiKey);
  });

  test('keeps to the length of its first vectors', async () => {
    const { baseUrl } = await startEmbeddingServer((given, place) =>
      embeddings(given.map(() => (place ? [1] : [1, 2]))),
    );
    const model = modelAt(baseUrl, { max_retries: 0 });
    await model.embed(texts, neverAborted);
    expect((await failureOfCall(model.embed(texts, neverAborted))).message).toMatch(
      /of 1 numbers, and others of 2/,
    );
  });
});
