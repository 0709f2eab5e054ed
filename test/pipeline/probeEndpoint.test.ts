import { expect, test } from 'vitest';
import { probeEndpoint } from '../../pipeline/probeEndpoint.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';

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
