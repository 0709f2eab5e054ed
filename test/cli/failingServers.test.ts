import { expect, test } from 'vitest';
import { FailingServers } from '../../cli/progress/progressView.ts';

const failed = { provider: 'http://h/v1', model: 'm', cause: 'endpoint_error', message: '502 down' } as const;

test('a server that only fails is told once, by its own words, until it has answered', () => {
  const servers = new FailingServers();
  const lines = Array.from({ length: 9 }, (_, at) => servers.failed(failed, at));
  expect(lines.map((line) => line !== undefined)).toEqual([
    ...Array(4).fill(false),
    true,
    ...Array(4).fill(false),
  ]);
  expect(lines[4]).toContain('http://h/v1 (m): 502 down');
  servers.answered(failed.provider);
  expect(servers.failed(failed, 10)).toBeUndefined();
  // Slow failures are few.
  expect(servers.failed(failed, 5_010)).toContain('502 down');
});

test('a long wait that a server asks for is told at once, a short one is not', () => {
  const at = (askedWaitMs: number) => new FailingServers().failed({ ...failed, askedWaitMs }, 0);
  expect(at(2_000)).toBeUndefined();
  expect(at(3_600_000)).toContain('1 h');
});

test('other servers have their own count', () => {
  const servers = new FailingServers();
  for (const at of [0, 1, 2, 3]) servers.failed(failed, at);
  expect(servers.failed({ ...failed, provider: 'http://other' }, 4)).toBeUndefined();
  expect(servers.failed(failed, 5)).toBeDefined();
});
