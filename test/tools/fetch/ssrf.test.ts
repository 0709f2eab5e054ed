// Needs iproute2.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { forbiddenTargets } from './support/forbiddenTargets.ts';
import type { ProbeReport } from './support/probeForbidden.ts';

const probe = fileURLToPath(new URL('./support/probeForbidden.ts', import.meta.url));

/** In the namespace every address whatever is one of its own loopback, so that each can be listened at. */
const everyAddress =
  'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo && exec "$0" "$1"';

let report: ProbeReport;

beforeAll(async () => {
  const namespace = ['--map-root-user', '--net', '--', 'sh', '-c', everyAddress, process.execPath, probe];
  const proxy = 'http://127.0.0.1:3128';
  const { stdout } = await promisify(execFile)('unshare', namespace, {
    env: {
      PATH: `${process.env.PATH}:/usr/sbin:/sbin`,
      HTTP_PROXY: proxy,
      http_proxy: proxy,
      NODE_USE_ENV_PROXY: '1',
    },
    maxBuffer: 10_000_000,
    timeout: 120_000,
  });
  report = JSON.parse(stdout) as ProbeReport;
});

describe('forbidden addresses', () => {
  test('are many, and each was asked for', () => {
    expect(report.probes.map(({ url }) => url)).toEqual(forbiddenTargets.map(({ url }) => url));
    expect(report.probes.length).toBeGreaterThan(100);
  });

  test('are connected to by a crawler without the guard', () => {
    const connected = ({ connects }: { connects: boolean }) => connects;
    expect(report.probes.filter(({ unguarded }) => unguarded > 0).map(({ url }) => url)).toEqual(
      forbiddenTargets.filter(connected).map(({ url }) => url),
    );
  });

  test.each(forbiddenTargets.map(({ url }, index) => [decodeURIComponent(url), index] as const))(
    '%s gets no connection',
    (_url, index) => {
      const { guarded, reason } = report.probes[index]!;
      expect(guarded).toBe(0);
      expect(reason).toMatch(
        /^(?:its host has no public address|its address holds a user name or password)$/,
      );
    },
  );
});

test('the list of exceptions lets through what it names of loopback and private networks, and nothing else', () => {
  const reached = report.allowed.filter(({ connections }) => connections > 0);
  expect(reached.map(({ entry, url }) => `${entry} -> ${url}`)).toEqual([
    '127.0.0.1:0 -> http://127.0.0.1:0/',
    '[::1]:0 -> http://[::1]:0/',
    'loopback.example:0 -> http://loopback.example:0/',
    '10.0.0.0/8 -> http://10.200.3.4:0/',
    '10.0.0.0/8 -> http://private.example:0/',
    'fd00::/8 -> http://unique-local.example:0/',
  ]);
});

test('a proxy of the environment is no way around', () => {
  expect(report.proxy).toEqual({ unguarded: 1, guarded: 0 });
});

test('neither is a redirect to the port of another service', () => {
  expect(report.otherPort).toEqual({ unguarded: 1, guarded: 0 });
});
