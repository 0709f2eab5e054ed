import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { decontaminateConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { taskSourceConfigSchema } from '../../../schemas/config/tasks.ts';
import { createDecontaminateStage } from '../../../stages/dedup/createDecontaminateStage.ts';
import { createQuestionDedupStage } from '../../../stages/dedup/createQuestionDedupStage.ts';
import { jsonLines } from '../../cli/support/project.ts';
import { emittedTasks, readTasks } from '../../support/readTasks.ts';
import { keptBy, runCorpusStage } from '../../support/runStage.ts';
import { temporaryFile } from '../../support/temporaryFolder.ts';
import { testDataPath } from '../../support/testData.ts';
import { taskOf } from '../../support/traceFixture.ts';

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
  [
    't30_body_and_question.jsonl',
    'math',
    {},
    {
      given_id: 'c1',
      question:
        'On the quay of Vinterby stand 30 crates in 5 rows of equal length. How many crates stand in each row?',
      answers: ['6'],
    },
    {
      given_id: 'c2',
      question: 'A mill grinds 24 sacks in 8 hours. How many sacks does it grind in an hour?',
      answers: ['3'],
    },
  ],
  ...[{ question: 'Question', context: 'Body' }, { question: '{Body}\n\n{Question}' }].map(
    (columns): Case => [
      't30_body_and_question.jsonl',
      'math',
      { columns },
      {
        question:
          'On the quay of Vinterby stand 30 crates in 5 rows of equal length.\n\nHow many crates stand in each row?',
      },
      { question: 'A mill grinds 24 sacks in 8 hours.\n\nHow many sacks does it grind in an hour?' },
    ],
  ),
  [
    't32_leetcode_query.jsonl',
    'code',
    {},
    {
      given_id: 'longest-row',
      question: expect.stringMatching(/^Given a list nums, return the length/),
      tests: { func_name: 'longestRow', import_prefix: 'from typing import *\nimport math\n' },
    },
    { question: expect.stringMatching(/^Given a list nums, return its sum/) },
  ],
  [
    't32_leetcode_query.jsonl',
    'code',
    { preset: 'humaneval', columns: { ignore: ['query'] } },
    'function_not_named',
    'function_not_named',
  ],
  [
    't33_answer_split.jsonl',
    'mhqa',
    { columns: { question: 'prompt.0.content', answers: 'reward_model.ground_truth' } },
    { answers: ['Aske', 'River Aske', 'the Aske'] },
  ],
  ['t36_answer_with_unit_in_brackets.jsonl', 'math', {}, { answers: ['9 (apples)'] }],
  ['t37_essay_answer.jsonl', 'web', {}, 'long_answer'],
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

/** Rows of a file, with what is refused, and columns by which it is read all the same. */
const long = (at: number, words = 40) => `Paragraph ${at} ${'tells more of it. '.repeat(words)}`;
const ten = (row: (at: number) => JsonObject) => Array.from({ length: 10 }, (_, at) => row(at));
const unaccounted: readonly [string, JsonObject[], string, Source?][] = [
  [
    'long text that is not read',
    ten((at) => ({ question: `What does note ${at} say?`, answer: `${at}`, narrative: long(at) })),
    'columns: { context: narrative }',
    { columns: { context: 'narrative' } },
  ],
  [
    'a question shorter than what stands beside it',
    ten((at) => ({
      question: `And ${at}?`,
      answer: `${at}`,
      text: `Station ${at} lies north of station ${at + 1}.`,
    })),
    'columns: { ignore: [text] }',
    { columns: { ignore: ['text'] } },
  ],
  [
    'a note to the question that stands as evidence',
    ten((at) => ({
      question: `How many of the boats that were in the harbour of Vinterby in week ${at} are laid up?`,
      answer: `${at}`,
      evidence: `laid up refers to boats.state = 'L${at}'`,
    })),
    'columns: { context: evidence }',
    { columns: { context: 'evidence' } },
  ],
  [
    'a passage shorter than the question',
    ten((at) => ({
      question: `How many crates did the crew of the boat in the passage bring ashore in week ${at}?`,
      answer: `${at}`,
      source_passage: `In week ${at} the crew landed ${at} crates.`,
    })),
    'columns: { context: source_passage }',
    { columns: { context: 'source_passage' } },
  ],
  [
    'letters of options that the question writes out',
    ten((at) => ({
      question: at === 9 ? 'Which is red?' : `Which is ${at}? A. red B. blue`,
      answer: at % 2 === 0 ? 'red' : 'B. blue',
      choice_answer: at === 9 ? '' : 'AB'[at % 2]!,
    })),
    'columns: { aliases: choice_answer }',
    { columns: { aliases: 'choice_answer' } },
  ],
  [
    'an answer that is a query',
    ten((at) => ({
      question: `How many boats are ${at}?`,
      answer: `SELECT COUNT(*) FROM boats WHERE x = ${at}`,
    })),
    'answers: { from: whole }',
    { answers: { from: 'whole' } },
  ],
  [
    'a table that is not read',
    ten((at) => ({
      question: `How many crates came in week ${at}?`,
      answer: `${at}`,
      table: {
        caption: 'Crates',
        rows: ten((row) => ({ row })).map((_, row) => [`week ${row}`, row + at, long(row, 1)]),
      },
    })),
    'columns: { ignore: [table.rows] }',
    { columns: { ignore: ['table'] } },
  ],
  [
    'options with labels that are not read, of answers in words',
    ten((at) => ({
      question: `Which is ${at}?`,
      answer: `red ${at}`,
      choices: { text: [`red ${at}`, `blue ${at} or something else`], label: ['A', 'B'] },
    })),
    'answers: { from: option }',
    { answers: { from: 'option' } },
  ],
  [
    'options that are not read',
    ten((at) => ({
      question: `Which is ${at}?`,
      answer: `red ${at}`,
      options: [`red ${at}`, `blue ${at} or something else`],
    })),
    'answers: { from: option }',
    { answers: { from: 'option' } },
  ],
  [
    'one question with several golds',
    ten((at) => ({ question: at % 2 === 0 ? 'How many are left?' : `How many are ${at}?`, answer: at })),
    '4 of 10 tasks',
  ],
  [
    'a context that no row has',
    ten((at) => ({ question: `What does note ${at} say?`, answer: `${at}`, passage: 'short' })),
    '`passage` looks like it',
    { columns: { context: 'passage' } },
  ],
  [
    'a template with a column that no row has',
    ten((at) => ({ question: `What is ${at}?`, answer: `${at}` })),
    'no column `Body`',
  ],
  [
    'an image',
    ten((at) => ({ question: `What is shown in ${at}?`, answer: `${at}`, image_path: `shots/${at}.png` })),
    'columns: { ignore: [image_path] }',
    { columns: { ignore: ['image_path'] } },
  ],
  [
    'an image inside of another column',
    ten((at) => ({
      question: `What is shown in ${at}?`,
      answer: `${at}`,
      extra_info: { index: at, images: [`shots/${at}.png`] },
    })),
    'columns: { ignore: [extra_info.images] }',
    { columns: { ignore: ['extra_info'] } },
  ],
  [
    'an answer with a control token',
    ten((at) => ({ question: `What is ${at}?`, answer: `${at}<|endoftext|>` })),
    'answers: { from: before_token }',
    { answers: { from: 'before_token' } },
  ],
  [
    'an image of a data set',
    ten((at) => ({
      question: `What is shown in ${at}?`,
      answer: `${at}`,
      images: [{ bytes: 'x', path: null }],
    })),
    'columns: { ignore: [images] }',
    { columns: { ignore: ['images'] } },
  ],
];
const misnamed: Readonly<Record<string, Source>> = {
  'a context that no row has': { columns: { context: 'pasage' } },
  'a template with a column that no row has': { columns: { question: '{Body} {question}' } },
};

test.for(unaccounted)('%s is named before anything is paid', async ([name, rows, key, settled]) => {
  const path = temporaryFile('rows.jsonl', jsonLines(rows));
  const read = (given: Source) =>
    readTasks([{ ...taskSourceConfigSchema.parse({ file: 'rows.jsonl', profile: 'mhqa', ...given }), path }]);
  await expect(read(misnamed[name] ?? {})).rejects.toThrow(key);
  if (settled) expect(emittedTasks(await read(settled))).toHaveLength(rows.length);
});

test('a control token and what follows it are no part of an answer', async () => {
  const rows = [{ question: 'Which river?', answer: 'Aske <|endoftext|>x' }];
  const path = temporaryFile('rows.jsonl', jsonLines(rows));
  const source = { file: 'rows.jsonl', profile: 'mhqa', answers: { from: 'before_token' } };
  const [task] = emittedTasks(await readTasks([{ ...taskSourceConfigSchema.parse(source), path }]));
  expect(task).toMatchObject({ answers: ['Aske'] });
});

test('further right answers stand in columns.aliases, also beside columns.answers', async () => {
  const rows = ten((at) => ({ question: `Which is ${at}? A. red B. blue`, gold: 'red', key: 'A', at }));
  const path = temporaryFile('rows.jsonl', jsonLines(rows));
  const columns = { answers: 'gold', aliases: 'key' };
  const [task] = emittedTasks(
    await readTasks([
      { ...taskSourceConfigSchema.parse({ file: 'rows.jsonl', profile: 'mhqa', columns }), path },
    ]),
  );
  expect(task).toMatchObject({ answers: ['red', 'A'], extra: { at: 0 } });
});

test('a list of tests is named as the context of a question without the name of its function', async () => {
  const rows = [{ question: 'Double a number.', tests: ['assert twice(1) == 2', 'assert twice(2) == 4'] }];
  const path = temporaryFile('rows.jsonl', jsonLines(rows));
  const read = (given: Source) =>
    readTasks([{ ...taskSourceConfigSchema.parse({ file: 'rows.jsonl', profile: 'code', ...given }), path }]);
  await expect(read({})).rejects.toThrow('columns: { context: tests }');
  expect(emittedTasks(await read({ columns: { context: 'tests' } }))).toHaveLength(1);
});

test.each<[string, JsonObject[]]>([
  [
    'solutions',
    ten((at) => ({ question: `What is ${at}?`, answer: `${at}`, solution: long(at), r1_response: long(at) })),
  ],
  [
    'the question in a frame',
    ten((at) => ({
      question: `What is ${at}?`,
      answer: `${at}`,
      prompt: `${long(0)} What is ${at}? ${long(1)}`,
    })),
  ],
  [
    'a text that the question says',
    ten((at) => ({ question: `What is ${at}? ${long(at)}`, answer: `${at}`, text: long(at) })),
  ],
  [
    'the same text in each row',
    ten((at) => ({ question: `What is ${at}?`, answer: `${at}`, instruction: long(0) })),
  ],
  [
    'an answer that stands twice',
    ten((at) => ({ question: `What is ${at}?`, answer: long(at, 2), wording: long(at, 2) })),
  ],
  [
    'places in a corpus',
    ten((at) => ({ question: `What is ${at}?`, answer: `${at}`, evidence: [[[at, `${long(at)}`, 0]]] })),
  ],
  [
    'a letter that the question does not offer',
    ten((at) => ({ question: `What is ${at}?`, answer: `${at}`, answer_key: 'AB'[at % 2]! })),
  ],
  [
    'an empty image column',
    ten((at) => ({ question: `What is ${at}?`, answer: ['a', `${at}`], image: '', image_caption: 'none' })),
  ],
])('%s beside a question raise no question', async (_name, rows) => {
  expect(
    emittedTasks(await readTasks([{ path: temporaryFile('rows.jsonl', jsonLines(rows)) }])),
  ).toHaveLength(10);
});

test('every task file of the field is here', () => {
  const names = readdirSync(testDataPath('field')).filter((name) =>
    /^t\d+.*\.(?:jsonl|json|csv)$/.test(name),
  );
  const questionsAlone = ['t38_other_language.jsonl'];
  const read = [...new Set(files.map(([name]) => name)), ...questionsAlone];
  expect(read.sort()).toEqual(names.sort());
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

test.each([
  ['t30_body_and_question.jsonl', 'math', 'How many crates stand in each row?'],
  ['t32_leetcode_query.jsonl', 'code', 'from typing import *\nimport math\n'],
] as const)(
  'the whole question of %s counts for dedup and decontamination',
  async (file, profile, fragment) => {
    const tasks = emittedTasks(await readTasks([{ path: testDataPath(`field/${file}`), profile }]));
    expect(await keptBy(createQuestionDedupStage('drop'), tasks)).toHaveLength(2);
    const config = decontaminateConfigSchema.parse({ benchmarks: [{ path: testDataPath(`field/${file}`) }] });
    const other = taskOf(profile, { question: `Sort the names of the boats. ${fragment}`, answers: [] });
    const outcomes = await runCorpusStage(createDecontaminateStage(config), [...tasks, other]);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['drop', 'drop', 'emit']);
  },
);

test('a benchmark whose questions are fragments is refused', async () => {
  const rows = ten((at) => ({ question: 'How many are left?', passage: long(at) }));
  const config = decontaminateConfigSchema.parse({
    benchmarks: [{ path: temporaryFile('rows.jsonl', jsonLines(rows)) }],
  });
  const stage = createDecontaminateStage(config);
  await expect(runCorpusStage(stage, [])).rejects.toThrow('columns: { context: passage }');
});

test('answers inside an object are refused with the path to write', async () => {
  await expect(outcomesOf('t13_squad.jsonl', 'mhqa', {})).rejects.toThrow(
    'columns: { answers: answers.text }',
  );
});
