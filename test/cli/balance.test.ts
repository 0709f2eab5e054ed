import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { balanceFileSchema } from '../../schemas/run/balanceTable.ts';
import { carried } from '../viewer/support/renderedPage.ts';
import { createProject } from './support/project.ts';
import { runCli } from './support/runCli.ts';

const section = `balance:
  rules:
    - { rule: cap, by: [profile], most: 3 }
    - { rule: temperature, by: [source], temperature: 1, total: 9, how: repeat }
`;

test('a run balances: the funnel, the dataset, its card and the report say so', async () => {
  const cwd = createProject({ more: section });
  const { code, stderr, stdout } = await runCli(['run', '--name', 'r', '--json'], { cwd });
  expect([code, stderr.includes('error')]).toEqual([0, false]);
  const run = (...path: string[]) => readFileSync(join(cwd, 'runs', 'r', ...path), 'utf8');
  const funnel = JSON.parse(stdout).funnel as { stage: string; emitted: number; dropped: object }[];
  const balanced = funnel.find(({ stage }) => stage === 'balance');
  const { emitted: entered } = funnel.find(({ stage }) => stage === 'filter')!;
  expect(balanced).toMatchObject({ emitted: 3, dropped: { over_quota: entered - 3 } });

  const table = balanceFileSchema.parse(JSON.parse(run('balance', 'balance.json'))).dimensions;
  const counts = { before: entered, after: 3, rows: 9, weight: 9 };
  expect(table).toContainEqual({ dimension: 'source', groups: [{ group: 'tasks.jsonl', ...counts }] });
  expect(run('dataset', 'README.md')).toContain(`| profile | mhqa | ${entered} | 3 | 9 | 9 |`);
  expect(carried(run('report.html')).answers['/api/sources/r/report']).toMatchObject({ balance: table });
  expect(run('dataset', 'trajectories.jsonl').trimEnd().split('\n')).toHaveLength(9);
});

test('weights are refused before the run begins', async () => {
  const cwd = createProject({ more: section.replace('total: 9, how: repeat', 'how: weight') });
  const { code, stderr } = await runCli(['run'], { cwd });
  expect(stderr).toMatch(/^error: coa\.yaml:\d+: balance\.rules\.1\.how: .*\n$/);
  expect(code).toBe(2);
});
