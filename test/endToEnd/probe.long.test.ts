import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Task } from '../../schemas/task.ts';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { startSolver } from '../support/startSolver.ts';

const TRIES = 4;
const tasks = riverTasks(12);

/** The model knows town `n` in `n mod 5` of four tries. */
const answer = (question: string, seed: number) => {
  const n = Number(/\d+/.exec(question)![0]);
  return seed < n % 5 ? `I recall it. <answer>river ${n}</answer>` : '<answer>the sea</answer>';
};

const probing = (baseUrl: string, more = 'pass_rate: { max: 0.5 }') => `probe:
  model:
    model: small
    sampling: { seed: 0, max_tokens: 300 }
    endpoint: { base_url: "${baseUrl}", api_key_env: "", max_retries: 0 }
    price: { input_usd_per_million: 1, output_usd_per_million: 2 }
  tries: ${TRIES}
  ${more}
filters: { grounding: { drop: false }, min_interactions: { mhqa: 0 } }
`;

const lines = <T>(cwd: string, file: string) => readJsonLines(join(cwd, 'runs', file)) as T[];
const recordsOf = (cwd: string, stage: string) =>
  lines<{ index: number; records: Task[] }>(cwd, `${stage}/records.jsonl`)
    .sort((a, b) => a.index - b.index)
    .flatMap(({ records }) => records);

test('tasks that a model without tools solves too often are left out before a teacher is paid', async () => {
  const solver = await startSolver(({ question, seed }) => answer(question, seed));
  const cwd = createProject({ tasks: jsonLines(tasks), more: probing(solver.baseUrl) });
  const ran = await runWell(['run', '--json'], { cwd });
  const { roles } = JSON.parse(ran.stdout);
  expect(roles[0]).toMatchObject({ role: 'probe', calls: 48, prompt_tokens: 4_800, cost_usd: 0.0096 });
  // Two of five are known in three or four of four tries.
  const kept = recordsOf(cwd, 'coa/probe');
  expect(kept.map(({ given_id }) => given_id)).toEqual(['q0', 'q1', 'q2', 'q5', 'q6', 'q7', 'q10', 'q11']);
  expect(kept[2]!.probe).toEqual({ passed: 2, samples: 4, unscored: 0 });
  expect(recordsOf(cwd, 'coa/rollout')).toHaveLength(8);
  const [dropped] = lines<object>(cwd, 'coa/probe/ledger.jsonl').sort();
  expect(dropped).toMatchObject({
    reason: 'too_easy',
    evidence: {
      samples: 4,
      unscored: 0,
      max_pass_rate: 0.5,
      low: expect.any(Number),
      high: expect.any(Number),
    },
  });
  const rates = lines<{ question: string; passed: number }>(cwd, 'coa/probe/pass_rates.jsonl');
  expect(rates.map(({ passed }) => passed)).toEqual([0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]);
  expect(rates[3]).toMatchObject({ question: tasks[3]!.question, samples: 4, unscored: 0 });

  // The teacher is embedded and costs nothing: all of it is the probe's.
  const forecast = JSON.parse((await runCli(['forecast', '--from-run', 'coa', '--json'], { cwd })).stdout);
  expect(forecast).toMatchObject({ left: 12, seen: 12 });
  expect(forecast.cost_usd.expected).toBeCloseTo(0.0096, 9);
  createProject({
    folder: cwd,
    tasks: jsonLines(tasks),
    more: probing(solver.baseUrl, 'pass_rate: { max: 0.1 }'),
  });
  const other = await runCli(['forecast', '--from-run', 'coa'], { cwd });
  expect(other.stderr).toContain('is known only from a run with the same probe');

  // A narrower range asks nobody; a wider one would miss rollouts.
  await runWell(['refilter', 'coa', '--set', 'probe.pass_rate.max=0.25'], { cwd });
  expect(recordsOf(cwd, 'coa-2/filter').map(({ question }) => /\d+/.exec(question)![0])).toEqual([
    '0',
    '1',
    '5',
    '6',
    '10',
    '11',
  ]);
  const wide = await runCli(['refilter', 'coa', '--set', 'probe.pass_rate.max=0.75'], { cwd });
  expect(wide.stderr).toContain('probe lets tasks through that it left out of coa (pass rates 0 to 0.5)');
  expect(wide.code).toBe(2);
  const model = await runCli(['refilter', 'coa', '--set', 'probe.tries=2'], { cwd });
  expect(model.stderr).toContain('probe.tries shapes the stage probe');
  expect(solver.answered).toHaveLength(48);

  // The results are a file for another run: nobody is asked, and the plan knows what is left out.
  const file = join(cwd, 'runs/coa/probe/pass_rates.jsonl');
  createProject({
    folder: cwd,
    tasks: jsonLines(tasks),
    more: `probe: { pass_rate: { from: "${file}", min: 0.1 } }\n`,
  });
  const known = await runCli(['run', '--dry-run'], { cwd });
  expect(known.stdout).toMatch(/^probe: results leave out 3 tasks$/m);
  await runWell(['run', '--name', 'known'], { cwd });
  expect(recordsOf(cwd, 'known/probe')).toHaveLength(9);
  expect(solver.answered).toHaveLength(48);
});

test('a wider range in the configuration asks nobody twice, and rolls out what comes in', async () => {
  const solver = await startSolver(({ question, seed }) => answer(question, seed));
  const cwd = createProject({ tasks: jsonLines(tasks), more: probing(solver.baseUrl) });
  await runWell(['run'], { cwd });
  createProject({
    folder: cwd,
    tasks: jsonLines(tasks),
    more: probing(solver.baseUrl, 'pass_rate: { max: 0.75 }'),
  });
  await runWell(['run'], { cwd });
  expect(recordsOf(cwd, 'coa/rollout')).toHaveLength(10);
  expect(solver.answered).toHaveLength(48);
});

test('an endpoint that fails is no wrong answer, and a retry asks only what was not answered', async () => {
  let isIll = true;
  const solver = await startSolver(({ question, seed }) => {
    if (isIll && question.includes('number 3') && seed > 1) return 500;
    return question.includes('number 4') ? 'I do not know.' : answer(question, seed);
  });
  const cwd = createProject({
    tasks: jsonLines(tasks),
    more: probing(solver.baseUrl, 'pass_rate: { min: 0.25 }'),
  });
  await runWell(['run'], { cwd });
  const ledger = lines<{ kind: string; failure?: object; evidence?: object }>(cwd, 'coa/probe/ledger.jsonl');
  expect(ledger.filter(({ kind }) => kind === 'fail')).toMatchObject([
    { failure: { cause: 'endpoint_error' } },
  ]);
  expect(ledger.flatMap(({ evidence }) => evidence ?? [])).toContainEqual(
    expect.objectContaining({ passed: 0, samples: 4, without_answer: 4 }),
  );
  expect(lines(cwd, 'coa/probe/pass_rates.jsonl')).toHaveLength(11);
  isIll = false;
  await runWell(['run', '--retry', 'failed'], { cwd });
  expect(new Set(solver.answered).size).toBe(solver.answered.length);
  expect(solver.answered).toHaveLength(48);
  expect(recordsOf(cwd, 'coa/rollout').length).toBe(recordsOf(cwd, 'coa/probe').length);
  expect(lines(cwd, 'coa/probe/pass_rates.jsonl')).toHaveLength(12);
});

test('where nothing is there to ask, the tasks stay pending', async () => {
  const solver = await startSolver(() => 503);
  const cwd = createProject({ tasks: jsonLines(tasks), more: probing(solver.baseUrl) });
  const dead = await runCli(['run'], { cwd });
  expect(dead.stderr).toMatch(/all 12 tasks failed at the probe's endpoint/);
  expect(dead.code).toBe(1);
  expect(existsSync(join(cwd, 'runs/coa/probe/pass_rates.jsonl'))).toBe(false);
});

test('windows of a target are of tasks before the probe, the same bytes at any concurrency', async () => {
  const datasets = [];
  for (const concurrency of [1, 16]) {
    const solver = await startSolver(
      ({ question, seed }) => answer(question, seed),
      concurrency === 1 ? 0 : 3,
    );
    const more = probing(solver.baseUrl).replace(
      'api_key_env: "",',
      `api_key_env: "", concurrency: ${concurrency},`,
    );
    const many = riverTasks(60);
    const cwd = createProject({
      tasks: jsonLines(many),
      planted: { wrong_answer: 0.3 },
      more: `${more}target: { rows: 10 }\ndataset: { formats: [afm] }\n`,
    });
    const ran = await runWell(['run'], { cwd });
    expect(ran.stdout).toMatch(/^target: 10 of 10 rows, from \d+ of 60 tasks in [23] windows$/m);
    datasets.push(readFileSync(join(cwd, 'runs/coa/dataset/afm/coa.json'), 'utf8'));
    expect(new Set(solver.answered).size).toBe(solver.answered.length);
  }
  expect(datasets[0]).toBe(datasets[1]);
});
