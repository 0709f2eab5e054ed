import { expect, test } from 'vitest';
import { formatBytes, formatDuration, formatRate, formatTable } from '../../cli/format.ts';
import { progressLine } from '../../cli/progress/progressLine.ts';
import { resumeCommand } from '../../cli/runArguments.ts';
import { countsProblem } from '../../pipeline/run/tally.ts';

test('counts that do not add up are named', () => {
  const counts = {
    entered: 5,
    emitted_inputs: 2,
    emitted_records: 9,
    dropped: { too_long: 1 },
    failed: { internal: 2 },
  };
  expect(countsProblem('judge', counts)).toBeUndefined();
  expect(countsProblem('judge', { ...counts, entered: 6 })).toMatch(
    /judge: 6 inputs entered, but 2 went on, 1/,
  );
});

test('the command that goes on can be pasted into a shell', () => {
  expect(resumeCommand("it's/coa.yaml", { name: 'a', tasks: '$(rm)', limit: 3 })).toBe(
    `coa-distill run 'it'\\''s/coa.yaml' --name a --tasks '$(rm)' --limit 3`,
  );
  // What --from and --retry ask for is noted in the run folder.
  expect(resumeCommand('coa.yaml', { maxCost: 2.5, yes: true, from: 'judge', retry: 'failed' })).toBe(
    'coa-distill run coa.yaml --max-cost 2.5 --yes',
  );
});

test('a progress line tells rate, time left and what became of the records', () => {
  const state = { stage: 'rollout', total: 100, done: 60, doneNow: 20, elapsedMs: 10_000, leftMs: 20_000 };
  const fates = { kept: 50, dropped: 0, failed: 10, tokens: 1_234_567, costUsd: 1.5, concurrency: 16 };
  expect(progressLine({ ...state, ...fates })).toBe(
    'rollout  60/100 · 2.0/s · 20 s left · 16 in flight · solved 50 · dropped 0 · failed 10 · 1,234,567 tokens · $1.50',
  );
  expect(progressLine({ ...state, ...fates, stage: 'judge' })).toContain('kept 50');
  const oldest = { calls: 41, toolCalls: 12, ageMs: 200_000 };
  expect(progressLine({ ...state, ...fates, oldest })).toMatch(
    / · oldest task: 3 min 20 s, 41 calls, 12 tool calls$/,
  );
  const requests = { answered: 30, inFlight: 16, retries: 1, lastRetry: 'endpoint_refused' } as const;
  expect(progressLine({ ...state, ...fates, requests })).toContain(
    'requests: 30 answered, 16 in flight, 1 retry (last: endpoint_refused)',
  );
});

test('figures are written for people', () => {
  expect([120.4, 2, 0.1, 0.017, 0.001].map(formatRate)).toEqual([
    '120/s',
    '2.0/s',
    '6.0/min',
    '1.0/min',
    '3.6/h',
  ]);
  expect([9_940, 9_960, 59_000, 59_700, 179_900, 200_000, 7_500_000].map(formatDuration)).toEqual([
    '9.9 s',
    '10 s',
    '59 s',
    '1 min 0 s',
    '3 min 0 s',
    '3 min 20 s',
    '2 h 5 min',
  ]);
  expect([12, 1_234, 5_600_000_000].map(formatBytes)).toEqual(['12 B', '1.2 KB', '5.6 GB']);
  expect(
    formatTable([
      ['a', 'count'],
      ['long name', 5],
    ]),
  ).toEqual(['a          count', 'long name      5']);
});
