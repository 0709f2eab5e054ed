import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import { type TaskPreset, taskPresetSchema } from '../../schemas/config/tasks.ts';
import type { Task } from '../../schemas/task.ts';
import { pythonTexts } from '../../schemas/tasks/pythonTexts.ts';
import type { AnswerRule } from '../../schemas/tasks/taskLayout.ts';
import { judgeProgram } from '../../stages/judge/judgeAnswer.ts';
import { testsAtHand } from '../../teachers/scripted/answerKey/toolSteps.ts';
import { createSandbox } from '../../tools/sandbox/createSandbox.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

type Profile = 'web' | 'mhqa' | 'code' | 'math';

function rowFile(row: JsonObject): string {
  const file = path.join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(file, `${JSON.stringify(row)}\n`);
  return file;
}

async function taskOf(row: JsonObject, preset: TaskPreset, profile: Profile): Promise<Task> {
  const [task] = emittedTasks(await readTasks([{ path: rowFile(row), preset, profile }]));
  return task!;
}

async function problemOf(row: JsonObject, preset: TaskPreset, profile: Profile): Promise<unknown> {
  const source = { path: rowFile(row), preset, profile };
  const [outcome] = await readTasks([source], { onBadTask: 'skip' });
  if (outcome?.outcome.kind !== 'drop') throw new Error('the row is a task');
  expect(outcome.outcome.reason).toBe('bad_task');
  return outcome.outcome.evidence.problem;
}

const encrypt = (text: string, password: string, cipher: 'sha256' | 'text' = 'sha256') => {
  const key = cipher === 'text' ? Buffer.from(password) : createHash('sha256').update(password).digest();
  return Buffer.from(Buffer.from(text).map((byte, at) => byte ^ key[at % key.length]!)).toString('base64');
};
const chat = (content: string) => [{ role: 'user', content }];
const verlRow = (content: string, ground_truth: string, index: JsonObject[string] = 7) => ({
  data_source: 'some-source',
  prompt: chat(content),
  ability: 'x',
  reward_model: { ground_truth, style: 'rule' },
  extra_info: { index },
});
const canary = 'BENCHMARK DATA SHOULD NEVER APPEAR AS PLAIN TEXT ONLINE. canary GUID 1';
const dapo = (problem: string) =>
  `Solve the following math problem step by step. The last line of your response should be of the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\n${problem}\n\nRemember to put your answer on its own line after "Answer:".`;

interface Example {
  readonly preset: TaskPreset;
  readonly profile: Profile;
  readonly row: JsonObject;
  readonly task: Partial<Task>;
}

/** A row of each data set in its published form, cut short, and the task that it is. */
const examples: readonly Example[] = [
  {
    preset: 'skywork_or1',
    profile: 'math',
    row: verlRow('How many?', '["1"]'),
    task: { given_id: 'some-source-7', question: 'How many?', answers: ['1'] },
  },
  {
    preset: 'skywork_or1',
    profile: 'code',
    row: verlRow(
      'Print it.',
      '{"inputs": ["1\\n"], "outputs": ["2\\n"], "fn_name": null, "test_code": null}',
    ),
    task: { answers: [], tests: { kind: 'stdin', cases: [{ stdin: '1\n', expected_output: '2\n' }] } },
  },
  {
    preset: 'afm_math',
    profile: 'math',
    row: verlRow('Rules.\n\nTask:\nHow many?', '["1", "2"]'),
    task: { question: 'How many?', answers: ['1', '2'] },
  },
  {
    preset: 'afm_qa',
    profile: 'web',
    row: {
      data_source: 'nq',
      prompt: chat('Rules.\n\nQuestion: Who?'),
      reward_model: { ground_truth: '{"target": ["she", "her"], "question": "Who?"}' },
      extra_info: { index: 'nq-1', question: 'Who?', answer: ['she', 'her'], tools_kwargs: {} },
    },
    task: { given_id: 'nq-1', question: 'Who?', answers: ['she', 'her'] },
  },
  {
    preset: 'olympiadbench',
    profile: 'math',
    row: {
      id: 1606,
      question: 'Find $a$.',
      solution: ['So.'],
      final_answer: ['2'],
      image_1: null,
      answer_type: 'Numerical',
    },
    task: { given_id: '1606', question: 'Find $a$.', answers: ['2'], extra: { answer_type: 'Numerical' } },
  },
  {
    preset: 'dapo_math',
    profile: 'math',
    row: verlRow(dapo('Find $a$.\n\nIt is odd.'), '34', '9a9b6eb4'),
    task: { question: 'Find $a$.\n\nIt is odd.', answers: ['34'] },
  },
  {
    preset: 'retool',
    profile: 'math',
    row: {
      messages: [
        {
          role: 'user',
          content:
            "Solve it.\n\n*user question:*\nFind $a$.\n\nRemember to place the final answer in the last part using the format: \n<answer>\n\\boxed{'The final answer goes here.'}\n</answer>",
        },
        { role: 'assistant', content: 'So.<code>\n1\n</code>\n<answer>\n\\boxed{\\frac{1}{2}}\n</answer>' },
      ],
    },
    task: { question: 'Find $a$.', answers: ['\\frac{1}{2}'] },
  },
  {
    preset: 'codeforces',
    profile: 'code',
    row: {
      id: '852/A',
      title: 'Digits',
      description: 'Add them.',
      input_format: 'One N.',
      output_format: 'One M.',
      interaction_format: null,
      note: null,
      examples: [{ input: '1\n1', output: '1' }],
      official_tests: [{ input: '2\r\n1\r\n', output: '2\r\n' }],
      input_mode: 'stdio',
      generated_checker: null,
      editorial: 'Long.',
      rating: 2500,
    },
    task: {
      given_id: '852/A',
      question: 'Add them.\n\nInput:\nOne N.\n\nOutput:\nOne M.',
      tests: {
        kind: 'stdin',
        cases: [
          { stdin: '1\n1', expected_output: '1' },
          { stdin: '2\r\n1\r\n', expected_output: '2\r\n' },
        ],
      },
    },
  },
  {
    preset: 'code_contests',
    profile: 'code',
    row: {
      name: '1575_A. Another',
      description: 'Sort.',
      public_tests: { input: ['1\n'], output: ['1\n'] },
      private_tests: { input: [], output: [] },
      generated_tests: { input: ['2\n'], output: ['2\n'] },
      solutions: { language: [2], solution: ['x'] },
      input_file: '',
      output_file: '',
      source: 2,
    },
    task: {
      given_id: '1575_A. Another',
      tests: {
        kind: 'stdin',
        cases: [
          { stdin: '1\n', expected_output: '1\n' },
          { stdin: '2\n', expected_output: '2\n' },
        ],
      },
      extra: { input_file: '', output_file: '', source: 2 },
    },
  },
  {
    preset: 'livecodebench',
    profile: 'code',
    row: {
      question_title: 'Sum',
      question_content: 'Add.',
      platform: 'leetcode',
      question_id: '3242',
      contest_id: 'c',
      contest_date: '2024-01-01T00:00:00',
      starter_code: 'class Solution:\n    def add(self, a, b):\n        ',
      difficulty: 'easy',
      public_test_cases: '[{"input": "1\\n2", "output": "3", "testtype": "functional"}]',
      private_test_cases: '[{"input": "2\\n2", "output": "4", "testtype": "functional"}]',
      metadata: '{"func_name": "add"}',
    },
    task: {
      given_id: '3242',
      question: 'Add.\n\nStarter code:\nclass Solution:\n    def add(self, a, b):',
    },
  },
  {
    preset: 'hotpotqa',
    profile: 'mhqa',
    row: { _id: '5a8b', question: 'Who?', answer: 'yes', type: 'comparison', level: 'hard', context: [] },
    task: { given_id: '5a8b', answers: ['yes'] },
  },
  {
    preset: '2wikimultihopqa',
    profile: 'mhqa',
    row: {
      _id: '13f5',
      type: 'compositional',
      question: 'Who?',
      evidences: [],
      answer: 'Ada',
      answer_id: 'Q1',
    },
    task: { given_id: '13f5', answers: ['Ada'] },
  },
  {
    preset: 'musique',
    profile: 'mhqa',
    row: {
      id: '2hop__1_2',
      paragraphs: [],
      question: 'When?',
      question_decomposition: [],
      answer: 'June 1982',
      answer_aliases: ['1982', 'June 1982'],
      answerable: true,
    },
    task: { given_id: '2hop__1_2', answers: ['June 1982', '1982'] },
  },
  {
    preset: 'webwalkerqa',
    profile: 'web',
    row: { question: 'When?', answer: 'In May.', root_url: 'https://x.org/', info: { lang: 'en' } },
    task: { answers: ['In May.'], extra: { root_url: 'https://x.org/', info: { lang: 'en' } } },
  },
  {
    preset: 'gaia',
    profile: 'web',
    row: {
      task_id: 'c61d',
      Question: 'How far?',
      Level: 1,
      'Final answer': '17',
      file_name: '',
      'Annotator Metadata': {},
    },
    task: { given_id: 'c61d', question: 'How far?', answers: ['17'] },
  },
  {
    preset: 'hle',
    profile: 'web',
    row: {
      id: '66ea',
      question: 'What?',
      image: '',
      answer: 'B',
      answer_type: 'multipleChoice',
      canary: 'x',
    },
    task: { given_id: '66ea', answers: ['B'] },
  },
  {
    preset: 'browsecomp',
    profile: 'web',
    row: {
      problem: encrypt('Wer wär’s?', canary),
      answer: encrypt('1988-96', canary),
      problem_topic: 'Art',
      canary,
    },
    task: { question: 'Wer wär’s?', answers: ['1988-96'] },
  },
  {
    preset: 'browsecomp',
    profile: 'web',
    row: { question: 'Who?', answer: '1988-96', topic: 'Art' },
    task: { question: 'Who?', answers: ['1988-96'] },
  },
  {
    preset: 'xbench',
    profile: 'web',
    row: {
      id: '101',
      prompt: encrypt('Wo entspringt sie, und wann?', 'key', 'text'),
      answer: encrypt('hier', 'key', 'text'),
      canary: 'key',
    },
    task: { given_id: '101', question: 'Wo entspringt sie, und wann?', answers: ['hier'] },
  },
  {
    preset: 'flashrag',
    profile: 'mhqa',
    row: { id: 'test_0', question: 'Who?', golden_answers: ['she', 'her'], metadata: {} },
    task: { given_id: 'test_0', answers: ['she', 'her'] },
  },
  {
    preset: 'triviaqa',
    profile: 'mhqa',
    row: {
      question: 'Who?',
      question_id: 'tc_1',
      question_source: 'x',
      answer: { value: 'A', aliases: ['B'] },
    },
    task: { given_id: 'tc_1', answers: ['A', 'B'] },
  },
  {
    preset: 'popqa',
    profile: 'mhqa',
    row: { id: 1, subj: 'x', prop: 'y', obj: 'A', question: 'Who?', possible_answers: '["A", "B"]' },
    task: { given_id: '1', answers: ['A', 'B'] },
  },
  {
    preset: 'bamboogle',
    profile: 'mhqa',
    row: { Question: 'Who?', Answer: 'A' },
    task: { question: 'Who?', answers: ['A'] },
  },
  {
    preset: 'aime',
    profile: 'math',
    row: { ID: '2024-I-1', Problem: 'How many?', Solution: 'x', Answer: 7 },
    task: { given_id: '2024-I-1', question: 'How many?', answers: ['7'] },
  },
  {
    preset: 'gsm8k',
    profile: 'math',
    row: { question: 'How many?', answer: 'She has 700 * 2 = <<700*2=1400>>1400.\n#### 1,400' },
    task: { question: 'How many?', answers: ['1400'] },
  },
  {
    preset: 'math',
    profile: 'math',
    row: {
      problem: 'Find $a$.',
      level: 'Level 1',
      type: 'Algebra',
      solution: '$\\boxed{2}$, so $\\boxed{\\frac{1}{2}}$.',
    },
    task: { question: 'Find $a$.', answers: ['\\frac{1}{2}'] },
  },
  {
    preset: 'math500',
    profile: 'math',
    row: {
      problem: 'Find $a$.',
      solution: 'So $\\boxed{2}$.',
      answer: '2',
      subject: 'x',
      level: 1,
      unique_id: 'a',
    },
    task: { given_id: 'a', answers: ['2'] },
  },
  {
    preset: 'mmlu_pro',
    profile: 'mhqa',
    row: {
      question_id: 70,
      question: 'Which?',
      options: ['one', 'two', 'N/A'],
      answer: 'B',
      answer_index: 1,
      cot_content: '',
      category: 'law',
      src: 'stemez',
    },
    task: {
      given_id: '70',
      question: 'Which?\n\nOptions:\nA. one\nB. two',
      answers: ['B', 'B. two', 'two'],
      extra: { category: 'law' },
    },
  },
  {
    preset: 'humaneval',
    profile: 'code',
    row: {
      task_id: 'HumanEval/9',
      prompt: 'from typing import List\n\n\ndef last(l: List[int]) -> int:\n    """Last."""\n',
      entry_point: 'last',
      canonical_solution: '    return l[-1]\n',
      test: '\n\nMETADATA = {\n    "author": "x"\n}\n\n\ndef check(candidate):\n    # Two\n    assert candidate([1]) == 1\n\n    assert candidate([1, 2]) == 2, "two"\n\n',
    },
    task: {
      given_id: 'HumanEval/9',
      tests: {
        kind: 'functional',
        checks: [
          'result = last([1])\nassert result == 1',
          'result = last([1, 2])\nassert result == 2, "two"',
        ],
        func_name: 'last',
        starter_code: 'from typing import List\n\n\ndef last(l: List[int]) -> int:\n    """Last."""\n',
        import_prefix: 'from typing import List\n\n\n',
      },
    },
  },
  {
    preset: 'mbpp',
    profile: 'code',
    row: {
      text: 'Double it.',
      code: 'def f(n):\r\n  return 2*n',
      task_id: 1,
      test_setup_code: 'import math',
      test_list: ['assert f(1) == 2', 'assert f(2) == 4'],
      challenge_test_list: ['assert f(3) == 6'],
    },
    task: {
      given_id: '1',
      question: 'Double it.\n\nYour code should pass these tests:\nassert f(1) == 2\nassert f(2) == 4',
      tests: {
        kind: 'functional',
        checks: ['assert f(1) == 2', 'assert f(2) == 4'],
        import_prefix: 'import math',
      },
    },
  },
  {
    preset: 'apps',
    profile: 'code',
    row: {
      problem_id: 3,
      question: 'Add.',
      solutions: '["x"]',
      input_output: '{"inputs": ["1\\n2\\n", "3\\n"], "outputs": ["3\\n", "3"]}',
      difficulty: 'interview',
      url: '',
      starter_code: '',
    },
    task: {
      given_id: '3',
      question: 'Add.',
      tests: {
        kind: 'stdin',
        cases: [
          { stdin: '1\n2\n', expected_output: '3\n' },
          { stdin: '3\n', expected_output: '3' },
        ],
      },
    },
  },
  {
    preset: 'taco',
    profile: 'code',
    row: {
      question: 'Add.',
      solutions: '["x"]',
      starter_code: 'def add(a, b):\n\t',
      input_output: '{"fn_name": "add", "inputs": [[1, 2]], "outputs": [3]}',
      difficulty: 'EASY',
      picture_num: '0',
    },
    task: {
      question: 'Add.\n\nStarter code:\ndef add(a, b):\n\nName of the function:\nadd',
      extra: { difficulty: 'EASY', picture_num: '0' },
    },
  },
];

describe('a row in its published form is a task', () => {
  test.each(examples)('$preset for $profile', async ({ preset, profile, row, task }) => {
    expect(await taskOf(row, preset, profile)).toMatchObject(task);
  });

  test('no preset is without an example, but for those that real files test', () => {
    const real: TaskPreset[] = ['generic', 'nq', 'afm_livecodebench', 'verl'];
    expect(new Set([...examples.map(({ preset }) => preset), ...real])).toEqual(
      new Set(taskPresetSchema.options),
    );
  });
});

describe('a row that no rule understands names its field', () => {
  const exampleOf = (preset: TaskPreset) => examples.find((one) => one.preset === preset)!;
  const spoilt: readonly [TaskPreset, Profile, JsonObject, string][] = [
    ['skywork_or1', 'math', verlRow('q', '{"inputs": ["1"], "outputs": ["1"]}'), 'reward_model.ground_truth'],
    ['skywork_or1', 'code', verlRow('q', '["1"]'), 'reward_model.ground_truth'],
    ['skywork_or1', 'code', verlRow('q', '{"cases": 1}'), 'found "cases"'],
    ['skywork_or1', 'code', verlRow('q', '{"inputs": ["x"], "outputs": ["1"], "fn_name": "f"}'), 'found "x"'],
    ['skywork_or1', 'code', verlRow('q', '{"inputs": ["1"], "outputs": ["1"], "fn_name": "f()"}'), '"f()"'],
    ['dapo_math', 'math', verlRow('Find $a$.', '34'), 'prompt.-1.content'],
    [
      'retool',
      'math',
      { messages: [chat('*user question:* q')[0]!, { content: 'no answer' }] },
      'messages.1.content',
    ],
    [
      'codeforces',
      'code',
      { ...exampleOf('codeforces').row, generated_checker: 'def main()' },
      'generated_checker',
    ],
    [
      'codeforces',
      'code',
      { ...exampleOf('codeforces').row, interaction_format: 'Ask.' },
      'interaction_format',
    ],
    ['codeforces', 'code', { ...exampleOf('codeforces').row, input_mode: 'file' }, 'input_mode is "file"'],
    [
      'code_contests',
      'code',
      { ...exampleOf('code_contests').row, input_file: 'in.txt' },
      'input_file is "in.txt"',
    ],
    ['livecodebench', 'code', { ...exampleOf('livecodebench').row, metadata: '{}' }, 'public_test_cases'],
    ['musique', 'mhqa', { ...exampleOf('musique').row, answerable: false }, 'answerable is false'],
    ['gaia', 'web', { ...exampleOf('gaia').row, file_name: 'a.xlsx' }, 'file_name is "a.xlsx"'],
    ['gaia', 'web', { ...exampleOf('gaia').row, 'Final answer': '?' }, 'Final answer'],
    ['hle', 'web', { ...exampleOf('hle').row, image: 'data:image/png;base64,xx' }, 'image is'],
    [
      'browsecomp',
      'web',
      { problem: 'plain text', answer: 'x', canary },
      'column problem, "plain text", can',
    ],
    ['browsecomp', 'web', { ...exampleOf('browsecomp').row, canary: 'another' }, 'column canary'],
    [
      'generic',
      'web',
      { question: encrypt('Wer wär’s?', 'one'), answer: 'x', canary: 'another' },
      'column canary',
    ],
    ['taco', 'code', { ...exampleOf('taco').row, picture_num: '1' }, 'picture_num is "1"'],
    ['mmlu_pro', 'mhqa', { ...exampleOf('mmlu_pro').row, answer: 'D' }, '"D", names none of the 2 options'],
    ['gsm8k', 'math', { question: 'q', answer: '5' }, 'answers.from hashes'],
    ['math', 'math', { problem: 'q', solution: 'So 5.' }, 'answers.from boxed'],
  ];
  test.each(spoilt)('%s for %s %#', async (preset, profile, row, field) => {
    expect(await problemOf(row, preset, profile)).toContain(field);
  });
});

describe('answers', () => {
  test('a list of texts is read as Python or NumPy writes it', () => {
    const written = (text: string) => `'${text.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
    const texts = fc.array(fc.string({ unit: fc.constantFrom(...'ab\'"\\\n ,[]ü') }), { minLength: 1 });
    fc.assert(
      fc.property(texts, fc.constantFrom(', ', ' ', '\n '), (list, comma) => {
        expect(pythonTexts(`[${list.map(written).join(comma)}]`)).toEqual(list);
      }),
    );
  });

  test('a list of Python is read in time that grows with its length', () => {
    expect(pythonTexts(`['${"\\\\'".repeat(500_000)}]`)).toBeUndefined();
    expect(pythonTexts(`['${'a'.repeat(2_000_000)}']`)).toHaveLength(1);
  });

  test.each<[string, JsonObject]>([
    ['rationale', { answer: 'She has 5.\n#### 5' }],
    ['rationale', { answers: ['a', 'We get $2=\\boxed{2}$.'] }],
    ['python_list', { answer: "['a', \"b's\"]" }],
    ['python_list', { answer: "['a' 'b']" }],
    ['letter_of_option', { answer: 'B', options: ['sky', 'blood'] }],
    ['letter_of_option', { answer: '(B)', choices: { text: ['sky', 'blood'], label: ['A', 'B'] } }],
    ['letter_of_option', { answer: 1, choices: ['1', '2', '3'] }],
    ['letter_of_option', { answer: 'A', options: "['sky', 'blood']" }],
  ])('that are surely not what is compared are refused as %s: %j', async (code, row) => {
    const source = { path: rowFile({ question: 'q', ...row }), profile: 'mhqa' };
    const [outcome] = await readTasks([source], { onBadTask: 'skip' });
    expect(outcome?.outcome).toMatchObject({ kind: 'drop', evidence: { code } });
    const whole = await readTasks([{ ...source, answers: { from: 'whole' } }]);
    expect(emittedTasks(whole)).toHaveLength(1);
  });

  test.each<[JsonObject, AnswerRule | undefined, string[]]>([
    [{ answer: '$\\boxed{4}$' }, undefined, ['$\\boxed{4}$']],
    [{ answer: 'B', question: 'Which? A. sky B. blood', options: ['sky', 'blood'] }, undefined, ['B']],
    [{ answer: '3', options: ['2', '3', '4'] }, undefined, ['3']],
    [{ answer: "['a'" }, undefined, ["['a'"]],
    [{ answer: 'So.\n#### -1,234.5' }, 'hashes', ['-1234.5']],
    [{ answer: "array(['a', 'b'], dtype=object)" }, 'python_list', ['a', 'b']],
    [{ answer: "['it\\'s' 'x\\n\\xe4']" }, 'python_list', ["it's", 'x\nä']],
    [{ answer: 'blood', options: ['sky', 'blood'] }, 'option', ['B', 'B. blood', 'blood']],
    [{ answer: 1, choices: ['1', '2'] }, 'option', ['B', 'B. 2', '2']],
    [{ answer: 'C', options: { A: 'sky', C: 'sky' } }, 'option', ['C', 'C. sky']],
    [{ answer: 'So <answer>\\boxed{7}</answer>' }, 'answer_tag', ['7']],
  ])('%j from %s', async (row, from, answers) => {
    const source = {
      path: rowFile({ question: 'q', ...row }),
      profile: 'mhqa',
      ...(from && { answers: { from } }),
    };
    expect(emittedTasks(await readTasks([source]))).toMatchObject([{ answers }]);
  });

  test.each([
    ['["1"]', ['1']],
    [' ["1", "2"] ', ['1', '2']],
    ['[1, 2]', ['[1, 2]']],
    ['["1", 2]', ['["1", 2]']],
    ['["1"', ['["1"']],
    ['{1, 2}', ['{1, 2}']],
  ])('%s', async (answer, answers) => {
    expect(await taskOf({ question: 'q', answer }, 'generic', 'mhqa')).toMatchObject({ answers });
  });
});

describe('tests that call', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    const limits = { timeout_s: 10, memory_mb: 512, max_output_chars: 512, concurrency: 2 };
    sandbox = await createSandbox({ backend: 'bubblewrap', allow_unsafe: false, ...limits }, () => {});
  });
  afterAll(() => sandbox.close());

  const passedOf = async (ground_truth: JsonObject, program: string) => {
    const task = await taskOf(verlRow('q', JSON.stringify(ground_truth)), 'skywork_or1', 'code');
    const { signal } = new AbortController();
    const settings = { sandbox, timeoutMs: 10_000, reruns: 1, outputTolerance: 1e-6, signal };
    const finding = await judgeProgram(program, testsAtHand(task)!, settings);
    return `${finding.passed}/${finding.tests}`;
  };

  const pairs = {
    inputs: ['[1, 2]\n"a\\nb"', '[]\n"assert result == 1"', '[9007199254740993]\nnull'],
    outputs: ['[3, "a\\nb"]', '[0, "assert result == 1"]', '[9007199254740993, null]'],
    fn_name: 'f',
  };
  const body = 'return [sum(a), b]';
  test('by APPS, what is expected may be the first of a list', async () => {
    const tests = { inputs: [[[1, 2], 'a']], outputs: [[3]], fn_name: 'f' };
    expect(await passedOf(tests, 'def f(n, t): return [3]')).toBe('1/1');
    expect(await passedOf(tests, 'def f(n, t): return 3')).toBe('1/1');
    expect(await passedOf(tests, 'def f(n, t): return 4')).toBe('0/1');
  });

  test.each([
    ['a method', `class Solution:\n    def f(self, a, b):\n        ${body}`, '3/3'],
    ['a function', `def f(a, b):\n    ${body}`, '3/3'],
    ['a tuple for a list', 'def f(a, b):\n    return (sum(a), b)', '3/3'],
    ['a wrong one', 'def f(a, b):\n    return [sum(a), "a\\nb"]', '1/3'],
  ])('with JSON arguments: %s', async (_title, program, passed) => {
    expect(await passedOf(pairs, program)).toBe(passed);
  });

  const candidate = {
    import_prefix: 'from typing import *\nclass Node:\n    def __init__(self, n): self.n = n\n',
    test_code: [
      'def check(candidate):',
      '    assert candidate(s = "a)(b", n = [1, (2)]) == "a)(b2"',
      '    assert candidate(s = "x\\"", n = []) == "x\\"0"',
      '',
      '    assert not candidate(s = "", n = []) == "1"',
      '    assert Node(3).n == 3 and candidate("", [1]) == "1"',
      '',
    ].join('\n'),
    entry_point: 'Solution().f',
  };
  test('through check(candidate), each assertion by itself', async () => {
    const right =
      'class Solution:\n    def f(self, s: str, n: List[int]) -> str:\n        return s + str(len(n) if n else Node(0).n)';
    expect(await passedOf(candidate, right)).toBe('4/4');
    expect(await passedOf(candidate, right.replace('return s', 'return "a)(b"'))).toBe('1/4');
    const { tests } = await taskOf(verlRow('q', JSON.stringify(candidate)), 'skywork_or1', 'code');
    expect(tests).toMatchObject({ func_name: 'f', import_prefix: candidate.import_prefix });
    expect(tests?.kind === 'functional' && tests.checks[0]).toBe(
      'result = Solution().f(s = "a)(b", n = [1, (2)])\nassert result == "a)(b2"',
    );
  });

  test('through check(candidate) of more than assertions, as one check', async () => {
    const test_code = 'def check(candidate):\n    for n in range(3):\n        assert candidate(n) == n\n';
    expect(await passedOf({ test_code, entry_point: 'f' }, 'def f(n): return n')).toBe('1/1');
    expect(await passedOf({ test_code, entry_point: 'f' }, 'def f(n): return 0')).toBe('0/1');
  });
});
