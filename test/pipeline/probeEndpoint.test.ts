import { expect, test } from 'vitest';
import { probeEndpoint, tryModel } from '../../pipeline/probeEndpoint.ts';
import { endpointConfigSchema } from '../../schemas/config/endpoint.ts';
import { membersOf } from '../../schemas/config/resolved/endpoints.ts';
import { says, startTinyServer } from '../teachers/support/startTinyServer.ts';

test.each(['another origin', 'the same origin'])('a probe follows no redirect to %s', async (where) => {
  const other = await startTinyServer(() => ({ body: {} }));
  const server = await startTinyServer(({ path }) => {
    const location = where === 'another origin' ? `${other.baseUrl}/models` : '/v1/elsewhere';
    return path === '/v1/models' ? { status: 307, headers: { location }, body: {} } : { body: {} };
  });
  const probe = await probeEndpoint({ base_url: server.baseUrl }, 'sk-a-key');
  await Promise.all([server.close(), other.close()]);
  expect(probe).toEqual({ reachable: true, status: 307, models: undefined });
  expect(other.requests).toEqual([]);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ['chat', says('{"word": "yes"}'), '/v1/chat/completions', 'answers, held to a JSON schema'],
  ['completions', { body: { choices: [{ text: ' it is' }] } }, '/v1/completions', 'continues texts'],
  [
    'embeddings',
    { body: { data: [{ embedding: [1, 2, 3] }] } },
    '/v1/embeddings',
    'embeds texts as 3 numbers',
  ],
] as const)('a model is tried as a run asks it: %s', async (use, answer, path, words) => {
  const server = await startTinyServer(() => answer);
  const endpoint = { ...endpointConfigSchema.parse({}), base_url: server.baseUrl };
  const sampling = { temperature: 0.7, max_tokens: 9_000 };
  const asked = { place: 'models.m', model: 'm', endpoint, sampling, use };
  expect(await tryModel(asked, membersOf(endpoint)[0]!, undefined)).toBe(words);
  expect(server.requests.map((request) => request.path)).toEqual([path]);
  if (use !== 'embeddings')
    expect(server.requests[0]!.body).toMatchObject({ temperature: 0.7, max_tokens: 64 });
});
