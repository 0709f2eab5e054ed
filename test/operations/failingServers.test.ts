import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FailingServers, readFailingServers } from '../../operations/report/failingServers.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const failed = { provider: 'http://h/v1', model: 'm', cause: 'endpoint_error', message: '502 down' } as const;

test('a server that only fails is told once, by its own words, until it has answered', () => {
  const servers = new FailingServers();
  const told = Array.from({ length: 9 }, (_, at) => servers.failed(failed, at));
  expect(told.map((server) => server !== undefined)).toEqual([
    ...Array(4).fill(false),
    true,
    ...Array(4).fill(false),
  ]);
  expect(told[4]).toEqual({ server: 'http://h/v1 (m)', message: '502 down', failures: 5, asked_wait_ms: 0 });
  expect(servers.told).toMatchObject([{ failures: 9 }]);
  servers.answered(failed.provider);
  expect(servers.told).toEqual([]);
  expect(servers.failed(failed, 10)).toBeUndefined();
  // Slow failures are few.
  expect(servers.failed(failed, 5_010)).toMatchObject({ message: '502 down', failures: 2 });
});

test('a long wait that a server asks for is told at once, a short one is not', () => {
  const at = (askedWaitMs: number) => new FailingServers().failed({ ...failed, askedWaitMs }, 0);
  expect(at(2_000)).toBeUndefined();
  expect(at(3_600_000)).toMatchObject({ asked_wait_ms: 3_600_000 });
});

test('other servers have their own count', () => {
  const servers = new FailingServers();
  for (const at of [0, 1, 2, 3]) servers.failed(failed, at);
  expect(servers.failed({ ...failed, provider: 'http://other' }, 4)).toBeUndefined();
  expect(servers.failed(failed, 5)).toBeDefined();
});

test('the end of a run’s events names the servers that fail, past torn and damaged lines', async () => {
  const folder = temporaryFolder();
  const at = '2026-11-28T10:00:00.000Z';
  const retried = { at, event: 'attempt_retried', ...failed, asked_wait_ms: 60_000 };
  const { cause, ...call } = { ...failed, at, event: 'model_call', outcome: 'ok', duration_ms: 1 };
  const write = (events: readonly object[]) =>
    writeFileSync(
      join(folder, 'events.jsonl'),
      `${'x'.repeat(300_000)}\n{"at":\n${events.map((event) => JSON.stringify(event)).join('\n')}\n{"at`,
    );
  expect(await readFailingServers(folder)).toEqual([]);
  write([call, retried]);
  expect(await readFailingServers(folder)).toMatchObject([{ message: '502 down', asked_wait_ms: 60_000 }]);
  write([retried, call]);
  expect(await readFailingServers(folder)).toEqual([]);
});
