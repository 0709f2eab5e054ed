import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, jsonLines, sampleTasks } from '../cli/support/project.ts';
import { runCli, runRefused, runWell } from '../cli/support/runCli.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';

const benchmarks = (...more: string[]) =>
  `evaluation: { benchmarks: [${['{ name: first, file: tasks.jsonl, profile: mhqa }', ...more].join(', ')}] }\n`;
/** No Python starts in so little memory. */
const tools = 'tools: { wiki_search: { corpus: passages.jsonl }, code: { memory_mb: 1 } }\n';

/** A folder whose player and judge are asked at a server that counts. */
async function project(evaluation: string) {
  const cwd = createProject();
  const server = await startTinyServer(() => ({ body: { data: [] } }));
  const price = 'price: { input_usd_per_million: 1, output_usd_per_million: 10 }';
  const endpoint = `{ base_url: "${server.baseUrl}", api_key_env: "" }, ${price}`;
  const player = `teacher: { backend: coa_model, model: { model: m, endpoint: ${endpoint} }, rollouts: 2, player: { server: vllm } }\n`;
  writeFileSync(join(cwd, 'broken.jsonl'), jsonLines([...sampleTasks, { question: 'Nobody knows' }]));
  writeFileSync(join(cwd, 'eval.yaml'), player + tools + evaluation);
  return {
    cwd,
    endpoint,
    server,
    evaluate: (...more: string[]) => runCli(['evaluate', 'eval.yaml', ...more], { cwd }),
  };
}

const faults = [
  [
    'a row without an answer',
    '{ name: second, file: broken.jsonl, profile: mhqa }',
    '',
    'broken.jsonl line 13',
  ],
  [
    'a column of groups that no task has',
    '{ name: second, file: tasks.jsonl, profile: mhqa, group_by: regon }',
    '',
    'group_by',
  ],
  [
    'a judge without a key',
    '{ name: second, file: tasks.jsonl, profile: mhqa, text: model }',
    'judge: { model: { model: m, endpoint: { base_url: "http://127.0.0.1:1/v1", api_key_env: NO_SUCH_KEY } } }\n',
    'NO_SUCH_KEY',
  ],
  ['programs that nothing runs', '{ name: second, file: tasks.jsonl, profile: math }', '', 'tools.code'],
] as const;

test.each(faults)(
  'a later benchmark with %s: exit 2 before the first request',
  async (_, second, more, named) => {
    const { evaluate, server, cwd } = await project(benchmarks(second) + more);
    const refused = await evaluate();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(named);
    expect(server.requests).toHaveLength(0);
    expect(existsSync(join(cwd, 'runs'))).toBe(false);
  },
);

test('files of training data are read before the first request; every fault is named at once', async () => {
  const third = '{ name: third, file: tasks.jsonl, profile: mhqa, cluster_by: vale }';
  const second = '{ name: second, file: broken.jsonl, profile: mhqa }';
  const { cwd, evaluate, server } = await project(benchmarks(second, third));
  writeFileSync(join(cwd, 'learned.jsonl'), '{\n');
  const refused = await evaluate('--set', 'evaluation.training_data=[learned.jsonl]');
  expect(refused.code).toBe(2);
  for (const named of ['broken.jsonl line 13', 'cluster_by', 'learned.jsonl'])
    expect(refused.stderr).toContain(named);
  expect(server.requests).toHaveLength(0);
});

test('a dry run reads every file and counts tasks; it sends no request and writes nothing', async () => {
  const { cwd, endpoint, evaluate, server } = await project(
    benchmarks('{ name: second, file: broken.jsonl, profile: mhqa, text: model, samples: 3 }'),
  );
  const judge = ['--set', `judge={ model: { model: m, endpoint: ${endpoint} } }`];
  const options = [...judge, '--set', 'evaluation.best_of_n=true', '--dry-run'];
  expect((await evaluate(...options)).code).toBe(2);
  const planned = await evaluate(...options, '--set', 'tasks.on_bad_task=skip', '--json');
  expect(planned.code, planned.stderr).toBe(0);
  const [first, second] = JSON.parse(planned.stdout).benchmarks;
  expect(first).toMatchObject({ samples: 2, bad_tasks: 0, tasks: [{ tasks: 12, rollouts: 24 }] });
  expect(second).toMatchObject({ samples: 3, bad_tasks: 1, tasks: [{ tasks: 12, rollouts: 36 }] });
  const text = await evaluate(...options, '--set', 'tasks.on_bad_task=skip');
  expect(text.stdout).not.toContain('missing:');
  expect(server.requests).toHaveLength(0);
  expect(existsSync(join(cwd, 'runs'))).toBe(false);
});

test('a dry run names what this machine lacks', async () => {
  const { evaluate } = await project(
    benchmarks('{ name: second, file: tasks.jsonl, profile: math, text: model }'),
  );
  const judge = ['--set', 'judge={ model: { model: m, endpoint: { api_key_env: NO_SUCH_KEY } } }'];
  const planned = await evaluate(...judge, '--dry-run', '--json');
  expect(planned.code, planned.stderr).toBe(0);
  const { missing } = JSON.parse(planned.stdout);
  expect(missing).toEqual([expect.stringContaining('NO_SUCH_KEY'), expect.stringContaining('tools.code')]);
});

test('tasks of a run are played where the configuration says so, beside the run', async () => {
  const cwd = createProject();
  await runRefused(['evaluate'], { cwd }, 'evaluation: {}');
  const asked = ['--set', 'evaluation={}', '--limit', '1'];
  for (const command of [
    ['evaluate', ...asked],
    ['run', '--limit', '1'],
    ['evaluate', ...asked],
  ]) {
    await runWell(command, { cwd });
  }
  expect(readdirSync(join(cwd, 'runs')).sort()).toEqual(['.cache', 'coa', 'coa-evaluation']);
});
