import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { taskSourceConfigSchema } from '../../../schemas/config/tasks.ts';
import { createDecontaminateStage } from '../../../stages/dedup/createDecontaminateStage.ts';
import { readTasks } from '../../support/readTasks.ts';
import { runCorpusStage } from '../../support/runStage.ts';
import { testDataPath } from '../../support/testData.ts';

type Profile = 'code' | 'math' | 'mhqa' | 'web';
type Source = Partial<z.input<typeof taskSourceConfigSchema>>;

const options = 'Options:\nA. sky\nB. blood\nC. grass';
const river =
  'Which river flows past the town of Vinterby in the north of the island of Morvale, and which of its tributaries is longest?';
const doubled = {
  given_id: 'HumanEval/0',
  tests: { kind: 'functional', checks: ['result = double(3)\nassert result == 6'], func_name: 'double' },
};
const stdin = (...pairs: readonly (readonly [string, string])[]) => ({
  answers: [],
  tests: {
    kind: 'stdin',
    cases: pairs.map(([given, expected_output]) => ({ stdin: given, expected_output })),
  },
});

/** What each row comes to: a task, or how it is refused. */
type Case = readonly [string, Profile, Source, ...(JsonObject | string)[]];
const files: readonly Case[] = [
  ['t01_apps.jsonl', 'code', {}, stdin(['3\n', '6\n'], ['5\n', '10\n'])],
  ['t01_apps.jsonl', 'code', { columns: { tests: 'input_output' } }, stdin(['3\n', '6\n'], ['5\n', '10\n'])],
  ['t03_taco_lines.jsonl', 'code', { preset: 'taco' }, stdin(['3\n4', '7'])],
  ['t03_taco_lines.jsonl', 'code', { columns: { tests: 'input_output' } }, stdin(['3\n4', '7'])],
  ['t04_bigcodebench.jsonl', 'code', { columns: { question: 'instruct_prompt', tests: 'test' } }, 'unusable'],
  ['t05_humaneval.jsonl', 'code', {}, doubled],
  ['t05_humaneval.jsonl', 'code', { columns: { question: 'prompt', tests: 'test' } }, doubled],
  ['t07_deepmath.jsonl', 'math', { columns: { answers: 'final_answer' } }, { answers: ['4'] }],
  ['t08_math_solution_only.jsonl', 'math', {}, { answers: ['4'] }],
  [
    't08_math_solution_only.jsonl',
    'math',
    { columns: { question: 'problem', answers: 'solution' } },
    { answers: ['4'] },
  ],
  ['t09_gsm8k.jsonl', 'math', {}, 'rationale'],
  ['t09_gsm8k.jsonl', 'math', { preset: 'gsm8k' }, { answers: ['5'] }],
  ['t09_gsm8k.jsonl', 'math', { answers: { from: 'hashes' } }, { answers: ['5'] }],
  ['t10_numina.jsonl', 'math', {}, { answers: ['4'] }],
  ['t11_musique.jsonl', 'mhqa', {}, { given_id: '2hop__1_2', answers: ['Ann Lee', 'A. Lee'] }],
  ['t12_flashrag.jsonl', 'mhqa', {}, { given_id: 'test_0', answers: ['Ann Lee', 'A. Lee'] }],
  [
    't12_flashrag.jsonl',
    'mhqa',
    { columns: { answers: 'golden_answers' } },
    { answers: ['Ann Lee', 'A. Lee'] },
  ],
  ['t13_squad.jsonl', 'mhqa', {}, 'unusable'],
  ['t13_squad.jsonl', 'mhqa', { columns: { answers: 'answers.text' } }, { answers: ['Ann Lee'] }],
  ['t14_triviaqa.jsonl', 'mhqa', {}, { given_id: 'tc_1', answers: ['Ann Lee', 'A. Lee', 'Ann B. Lee'] }],
  ['t15_popqa.jsonl', 'mhqa', {}, { answers: ['Ann Lee', 'A. Lee'] }],
  ['t16_bcplus.jsonl', 'web', { preset: 'browsecomp' }, { given_id: '1', answers: ['Ann Lee'] }],
  [
    't17_mmlu_pro.jsonl',
    'mhqa',
    {},
    { question: `Which is red?\n\n${options}`, answers: ['B', 'B. blood', 'blood'] },
  ],
  [
    't18_gpqa.json',
    'mhqa',
    { columns: { answers: 'Correct Answer' } },
    { given_id: '0', answers: ['blood'] },
  ],
  ['t19_strategyqa.jsonl', 'mhqa', {}, 'unusable'],
  [
    't20_numeric.jsonl',
    'mhqa',
    {},
    { answers: ['4'] },
    { answers: ['0.5'] },
    { answers: ['12345678901234567890'] },
    'unusable',
    'unusable',
    'unusable',
  ],
  [
    't21_inspect.jsonl',
    'mhqa',
    { columns: { question: 'input', answers: 'target' } },
    { answers: ['Ann Lee'] },
  ],
  ['t23_pylist_answers.jsonl', 'mhqa', {}, 'python_list'],
  [
    't23_pylist_answers.jsonl',
    'mhqa',
    { answers: { from: 'python_list' } },
    { answers: ['Ann Lee', 'A. Lee'] },
  ],
  ['t24_xbench.csv', 'web', {}, { question: river, answers: ['Aske'] }],
  ['t24_xbench.csv', 'web', { preset: 'xbench' }, { question: river, answers: ['Aske'] }],
  ['t24_xbench.csv', 'web', { columns: { question: 'prompt' } }, { question: river, answers: ['Aske'] }],
  ['t24_xbench_plain.jsonl', 'web', {}, { question: river, answers: ['Aske'] }],
];

async function outcomesOf(file: string, profile: Profile, source: Source) {
  const path = testDataPath(`field/${file}`);
  const parsed = taskSourceConfigSchema.parse({ file, profile, ...source });
  return (await readTasks([{ ...parsed, path }], { onBadTask: 'skip' })).map(({ outcome }) => outcome);
}

test.for(files)('%s for %s by %j', async ([file, profile, source, ...expected]) => {
  const outcomes = await outcomesOf(file, profile, source);
  expect(outcomes).toHaveLength(expected.length);
  for (const [at, wanted] of expected.entries()) {
    const dropped = { kind: 'drop', reason: 'bad_task', evidence: { code: wanted } };
    expect(outcomes[at]).toMatchObject(typeof wanted === 'string' ? dropped : { records: [wanted] });
  }
});

test('a file without a column that is asked for is named with the column that looks like it', async () => {
  await expect(outcomesOf('t18_gpqa.json', 'mhqa', {})).rejects.toThrow('`Correct Answer` looks like it');
});

test('every task file of the field is here', () => {
  const names = readdirSync(testDataPath('field')).filter((name) =>
    /^t\d+.*\.(?:jsonl|json|csv)$/.test(name),
  );
  expect([...new Set(files.map(([name]) => name))].sort()).toEqual(names.sort());
});

test.each([{}, { preset: 'xbench' }, { columns: { question: 'prompt' } }])(
  'a leaked question of an encrypted benchmark is found by %j',
  async (benchmark) => {
    const tasks = (await outcomesOf('t24_xbench_plain.jsonl', 'web', {})).flatMap((outcome) =>
      outcome.kind === 'emit' ? outcome.records : [],
    );
    const path = testDataPath('field/t24_xbench.csv');
    const config = decontaminateConfigSchema.parse({ benchmarks: [{ path, ...benchmark }] });
    const outcomes = await runCorpusStage(createDecontaminateStage(config), tasks);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['drop']);
  },
);
