import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sum } from '../../base/sum.ts';
import { readSpent } from '../../calls/budget/spendingLog.ts';
import type { ReportData } from '../../schemas/report.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { modelAt, startSynthesisServer, synthesisProject } from './support/synthesisProject.ts';

test('a budget is never passed, costs of stages and roles add up to what was spent, and a higher budget ends as without one', async () => {
  const server = await startSynthesisServer();
  const { model, ...asked } = modelAt(server.baseUrl, 4);
  const price = { input_usd_per_million: 3, output_usd_per_million: 11 };
  const priced = {
    ...asked,
    model: { ...model, price, sampling: { ...model.sampling, max_tokens: 2_000 } },
  };
  const free = synthesisProject(12, priced);
  const cwd = synthesisProject(12, priced);
  const run = join(cwd, 'runs/coa');
  const whole = await runWell(['synthesize', '--json'], { cwd: free });
  const all = (JSON.parse(whole.stdout) as ReportData).spent.cost_usd;
  for (const share of [0.2, 0.6]) {
    const budget = Number((all * share).toFixed(3));
    const cut = await runCli(['synthesize', '--max-cost', budget.toFixed(3)], { cwd });
    expect(cut.code, cut.stderr).toBe(3);
    const { costUsd, unbilled } = await readSpent(run);
    expect(costUsd + unbilled.costUsd).toBeLessThanOrEqual(budget);
    expect(costUsd).toBeGreaterThan(0.1 * budget);
  }
  const done = await runWell(['synthesize', '--json', '--max-cost', (2 * all).toFixed(3)], { cwd });
  const { roles, spent } = JSON.parse(done.stdout) as ReportData;
  const billed = await readSpent(run);
  expect(spent).toMatchObject({ requests: billed.attempts, tokens: billed.tokens, cost_usd: billed.costUsd });
  expect(sum(roles.map(({ calls }) => calls))).toBe(spent.requests);
  expect(sum(roles.map((role) => role.prompt_tokens + role.completion_tokens))).toBe(spent.tokens);
  expect(sum(roles.map(({ cost_usd }) => cost_usd))).toBeCloseTo(spent.cost_usd, 9);
  expect(roles.map(({ stage, role }) => `${stage} ${role}`)).toEqual([
    'facts propose',
    'grow link',
    'grow write',
    'check check',
    'check solve',
  ]);
  expect(spent.cost_usd).toBeCloseTo(all, 9);
  expect(folderHashes(join(run, 'taskset'))).toEqual(folderHashes(join(free, 'runs/coa/taskset')));
  expect(readFileSync(join(run, 'events.jsonl'), 'utf8').match(/"budget_spent"/g)).toHaveLength(2);
}, 300_000);
