import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { catalogueProfiles, comparingSteps, lampSteps } from './support/catalogueProfile.ts';
import { sharedFolder } from './support/sharedFolder.ts';

/*
 * Every hook of a run in one configuration: two tools (a module and a Python program), the judge and two rules.
 */

const questions = ['Which is dearer, lamp or chair?', 'Which is dearer, lamp or chair? Twice.'];

const modules: Readonly<Record<string, string>> = {
  'look_up.ts': `import { prices } from './prices.ts';
export default ({ query }: { query: string }) => 'Lamp: ' + prices[query];
`,
  'prices.ts': `export const prices: Record<string, number> = { lamp: 40 };\n`,
  'compare.py': `print("loading prices...")
def answer(asked):
    return {"dearer": min(asked.values(), key=len)}
`,
  'judge.ts': `export default ({ answer, answers }: { answer: string; answers: string[] }) =>
  ({ correct: answers.includes(answer), evidence: { read: answer } });
`,
  'rule.ts': `import { isOdd } from './odd.ts';
export default ({ question }: { question: string }) => (isOdd(question) ? 'it is asked twice' : null);
`,
  'odd.ts': `export const isOdd = (text: string) => text.endsWith('Twice.');\n`,
  'free.js': 'export default () => undefined;\n',
};

const text = { type: 'string' };
const config = {
  profiles: catalogueProfiles,
  tasks: { sources: [{ file: 'tasks.jsonl', profile: 'catalogue' }] },
  teacher: {
    backend: 'scripted',
    script: 'script.jsonl',
    model: { model: 'scripted-teacher', endpoint: { max_retries: 0 } },
  },
  tools: {
    wiki_search: { corpus: 'passages.jsonl' },
    custom: {
      look_up: { module: './look_up.ts', description: 'Looks a product up.', timeout_s: 3 },
      compare: {
        module: './compare.py',
        description: 'Compares two products.',
        timeout_s: 3,
        input_schema: { type: 'object', properties: { a: text, b: text } },
      },
    },
  },
  judge: { module: './judge.ts', module_timeout_s: 3 },
  filters: { rules: ['./rule.ts', './free.js'], rules_timeout_s: 3 },
};

function project(cwd: string, changed: Readonly<Record<string, string>> = {}): string {
  const write = (name: string, content: string) => writeFileSync(join(cwd, name), content);
  const steps = [...lampSteps('First the lamp.'), ...comparingSteps('"dearer":"(\\w+)"')];
  write('coa.yaml', stringify(config));
  write(
    'tasks.jsonl',
    questions.map((question) => `${JSON.stringify({ question, answer: 'lamp' })}\n`).join(''),
  );
  write('passages.jsonl', `${JSON.stringify({ id: '1', contents: '"Lamp"\nA lamp.' })}\n`);
  const solutions = questions.map((question) => ({ question, profile: 'catalogue', flaw: null, steps }));
  write('script.jsonl', solutions.map((one) => `${JSON.stringify(one)}\n`).join(''));
  for (const [name, source] of Object.entries({ ...modules, ...changed })) write(name, source);
  return cwd;
}

const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

let cwd: string;
beforeAll(async () => {
  cwd = project(sharedFolder());
  await runWell(['run'], { cwd });
});

test('tools answer, the judge judges, and a rule drops', () => {
  const [row, ...others] = lines(join(cwd, 'runs/coa/dataset/trajectories.jsonl'));
  expect(others).toEqual([]);
  expect(row!.question).toBe(questions[0]);
  expect(JSON.stringify(row!.segments)).toContain('Lamp: 40');
  expect(row!.quality).toMatchObject({
    verdicts: [{ judge: 'own', judgement: 'correct', score: 1, evidence: '{"read":"lamp"}' }],
  });
  const dropped = lines(join(cwd, 'runs/coa/filter/ledger.jsonl')).filter(({ kind }) => kind === 'drop');
  expect(dropped).toMatchObject([
    {
      reason: 'own_rule',
      evidence: { measures: { own_rules: [{ rule: 'rule.ts', why: 'it is asked twice' }] } },
    },
  ]);
});

test.each([
  ['look_up.ts', 'tools.custom.look_up.module', 'rollout'],
  ['prices.ts', 'tools.custom.look_up.module', 'rollout'],
  ['compare.py', 'tools.custom.compare.module', 'rollout'],
  ['judge.ts', 'judge.module', 'judge'],
  ['odd.ts', 'filters.rules', 'filter'],
])('another %s makes stale what %s shapes, and nothing before it', async (file, key, stage) => {
  const source = modules[file]!;
  writeFileSync(join(cwd, file), `${source}\n`);
  const { stdout } = await runCli(['run', '--dry-run', '--json'], { cwd });
  writeFileSync(join(cwd, file), source);
  const { stages } = JSON.parse(stdout) as { stages: { stage: string; kind: string }[] };
  const pending = stages.filter(({ kind }) => kind !== 'done').map((one) => one.stage);
  expect(pending[0], key).toBe(stage);
});

test.each([
  ['look_up.ts', 'const a = 1;\nexport default () => a +;\n', 'tools.custom.look_up.module: look_up.ts:2: '],
  [
    'prices.ts',
    '\n\nthrow new Error("no prices");\nexport const prices = {};\n',
    'tools.custom.look_up.module: prices.ts:3: no prices',
  ],
  ['compare.py', 'import json\ndef f(:\n', 'tools.custom.compare.module: compare.py:2: '],
  ['judge.ts', '\nexport const judge = 1;\n', 'judge.module: judge.ts:1: expected `export default`'],
  [
    'rule.ts',
    '\nimport { isOdd } from "./even.ts";\nexport default isOdd;\n',
    'filters.rules.0: rule.ts:2: ',
  ],
])('a broken %s is named with its line before anything is paid (%#)', async (file, source, problem) => {
  const broken = project(temporaryFolder(), { [file]: source });
  const { code, stderr } = await runCli(['run'], { cwd: broken });
  expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  expect(existsSync(join(broken, 'runs/coa/rollout'))).toBe(false);
});

test('a dry run names every broken module', async () => {
  const broken = project(temporaryFolder(), {
    'compare.py': 'def f(:\n',
    'judge.ts': '\nexport const a = 1;\n',
  });
  const { stdout } = await runCli(['run', '--dry-run'], { cwd: broken });
  expect(stdout).toContain('tools.custom.compare.module: compare.py:1: ');
  expect(stdout).toContain('judge.module: judge.ts:1: expected `export default`');
});

// They wait: `ownModule.test.ts` has those that keep a core busy.
const never = 'export default () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);\n';
const neverPython = 'import time\ndef answer(asked):\n    while True: time.sleep(60)\n';
test.each([
  ['rollout', 'look_up.ts', never],
  ['rollout', 'compare.py', neverPython],
  ['judge', 'judge.ts', never],
  ['filter', 'free.js', never],
])('%s: %s that never returns is stopped, and fails its records', async (stage, file, source) => {
  const stuck = project(temporaryFolder(), { [file]: source });
  const { stdout, stderr } = await runCli(['run'], { cwd: stuck });
  expect(stdout).toContain(`own_code at ${stage}: ${file} took longer than 3 s`);
  const failed = lines(join(stuck, `runs/coa/${stage}/ledger.jsonl`)).filter(({ kind }) => kind === 'fail');
  expect(failed, stderr).toHaveLength(2);
  for (const { failure } of failed)
    expect(failure).toMatchObject({
      cause: 'own_code',
      message: `${file} took longer than 3 s and was stopped`,
    });
});
