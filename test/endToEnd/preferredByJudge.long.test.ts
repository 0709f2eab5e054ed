import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { createProject, jsonLines, sampleTasks, scriptedTeacher } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { startJudgeServer } from '../support/startJudgeServer.ts';

interface Shown {
  readonly number: number;
  readonly answer: string;
  readonly work: string;
}

test('a judge picks among the rollouts of a task in both orders, once, and never where it may not be asked', async () => {
  let isAway = true;
  const server = await startJudgeServer(({ data }) => {
    if (isAway) return { status: 500 };
    const attempts = data.attempts as unknown as Shown[];
    // A judge that always takes the first says nothing; what can't be read, neither.
    if (String(data.question).includes('number 0')) return '{"rationale": "r", "best": 1}';
    if (String(data.question).includes('number 1')) return 'the second';
    const longest = attempts.reduce((best, one) => (one.work > best.work ? one : best));
    return JSON.stringify({ rationale: 'r', best: longest.number });
  });
  const model = `judge:
  model:
    model: judge
    sampling: { max_tokens: 200 }
    endpoint: { base_url: "${server.baseUrl}", api_key_env: "", max_retries: 0 }
`;
  const select = (by: string) => `select: { best_of: { by: ${by} } }\n`;
  const settings = {
    tasks: jsonLines(sampleTasks.slice(0, 8)),
    planted: { missing_reflection: 0.5 },
    rollouts: 2,
    teacher: `{ ${scriptedTeacher}, rollouts: 2 }`,
  };
  const cwd = createProject({ ...settings, more: `${model}${select('[correct, judge, shortest]')}` });
  const away = await runCli(['run'], { cwd });
  expect(away.stderr).toMatch(/select.best_of.by: the judge could not be asked \(endpoint_error/);
  expect(away.code).toBe(1);
  isAway = false;
  const before = server.requests.length;
  const ran = await runWell(['run', '--json'], { cwd });
  // Both orders each; a first answer that can't be read is a tie at once.
  const asked = 2 * 8 - 1;
  expect(server.requests.length - before).toBe(asked);
  const ledger = readJsonLines(join(cwd, 'runs/coa/select/ledger.jsonl')) as { evidence: JsonObject }[];
  const preferred = ledger.map(({ evidence }) => evidence.preferred);
  expect(preferred).toHaveLength(8);
  // The first two, and those whose rollouts are alike.
  const ties = preferred.filter((id) => id === null).length;
  expect(ties).toBeGreaterThanOrEqual(2);
  expect(ties).toBeLessThan(8);
  for (const { evidence } of ledger)
    if (evidence.preferred !== null) expect(evidence.chosen).toEqual([evidence.preferred]);
  const calls = readJsonLines(join(cwd, 'runs/coa/events.jsonl')) as { role?: string; outcome: string }[];
  expect(calls.filter(({ role, outcome }) => role === 'judge' && outcome === 'ok')).toHaveLength(asked);

  // What it took is in the summary and the forecast, beside the teacher's.
  const { roles } = JSON.parse(ran.stdout);
  expect(roles.at(-1)).toMatchObject({ role: 'judge', calls: asked });
  const used = roles.reduce(
    (sum: number, role: Record<string, number>) => sum + role.prompt_tokens! + role.completion_tokens!,
    0,
  );
  const forecast = await runCli(['forecast', '--from-run', 'coa', '--json'], { cwd });
  expect(JSON.parse(forecast.stdout).tokens.expected).toBeCloseTo(used, 3);

  await runWell(['run', '--from', 'select'], { cwd });
  expect(server.requests.length - before).toBe(asked);
  const variant = await runCli(['refilter', 'coa', '--set', 'filters.min_interactions.mhqa=1'], { cwd });
  expect(variant.stderr).toContain('select.best_of.by: judge asks a model, and deciding again asks none');
  createProject({ folder: cwd, ...settings, more: select('[judge]') });
  expect((await runCli(['run'], { cwd })).stderr).toContain('expected judge.model');
});
