// Needs bubblewrap, python3, python3-numpy.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { Task } from '../../schemas/task.ts';
import { pythonTexts } from '../../schemas/tasks/pythonTexts.ts';
import type { AnswerRule } from '../../schemas/tasks/taskLayout.ts';
import { type TaskPreset, taskPresetNames } from '../../schemas/tasks/taskLayouts.ts';
import { judgeProgram } from '../../stages/judge/judgeAnswer.ts';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';
import { jsonLines } from '../cli/support/project.ts';
import { testsAtHand } from '../support/answerKey/toolSteps.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { encrypt, taskExamples } from '../support/taskExamples.ts';
import { temporaryFile } from '../support/temporaryFolder.ts';

type Profile = (typeof taskExamples)[number]['profile'];

const rowFile = (row: JsonObject) => temporaryFile('rows.jsonl', jsonLines([row]));

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

const chat = (content: string) => [{ role: 'user', content }];
const verlRow = (content: string, ground_truth: string, index: JsonObject[string] = 7) => ({
  data_source: 'some-source',
  prompt: chat(content),
  ability: 'x',
  reward_model: { ground_truth, style: 'rule' },
  extra_info: { index },
});
const canary = 'BENCHMARK DATA SHOULD NEVER APPEAR AS PLAIN TEXT ONLINE. canary GUID 1';

describe('a row in its published form is a task', () => {
  test.each(taskExamples)('$preset for $profile', async ({ preset, profile, row, task }) => {
    expect(await taskOf(row, preset, profile)).toMatchObject(task);
  });

  test('no preset is without an example, but for those that real files test', () => {
    const real: TaskPreset[] = ['generic', 'nq', 'afm_livecodebench', 'verl'];
    expect(new Set([...taskExamples.map(({ preset }) => preset), ...real])).toEqual(new Set(taskPresetNames));
  });
});

describe('a row that no rule understands names its field', () => {
  const exampleOf = (preset: TaskPreset) => taskExamples.find((one) => one.preset === preset);
  /** What is changed in the row of an example. */
  const spoilt: readonly [TaskPreset, JsonObject, string, Profile?][] = [
    ['skywork_or1', verlRow('q', '{"inputs": ["1"], "outputs": ["1"]}'), 'reward_model.ground_truth', 'math'],
    ['skywork_or1', verlRow('q', '["1"]'), 'reward_model.ground_truth', 'code'],
    ['skywork_or1', verlRow('q', '{"cases": 1}'), 'found "cases"', 'code'],
    ['skywork_or1', verlRow('q', '{"inputs": ["x"], "outputs": ["1"], "fn_name": "f"}'), 'found "x"', 'code'],
    ['skywork_or1', verlRow('q', '{"inputs": ["1"], "outputs": ["1"], "fn_name": "f()"}'), '"f()"', 'code'],
    ['dapo_math', verlRow('Find $a$.', '34'), 'prompt.-1.content'],
    [
      'retool',
      { messages: [chat('*user question:* q')[0]!, { content: 'no answer' }] },
      'messages.1.content',
    ],
    ['codeforces', { generated_checker: 'def main()' }, 'generated_checker'],
    ['codeforces', { interaction_format: 'Ask.' }, 'interaction_format'],
    ['codeforces', { input_mode: 'file' }, 'input_mode is "file"'],
    ['code_contests', { input_file: 'in.txt' }, 'input_file is "in.txt"'],
    ['livecodebench', { metadata: '{}' }, 'public_test_cases'],
    ['musique', { answerable: false }, 'answerable is false'],
    ['gaia', { file_name: 'a.xlsx' }, 'file_name is "a.xlsx"'],
    ['gaia', { 'Final answer': '?' }, 'Final answer'],
    ['hle', { image: 'data:image/png;base64,xx' }, 'image is'],
    ['browsecomp', { problem: 'plain text', answer: 'x', canary }, 'column problem, "plain text", can'],
    ['browsecomp', { canary: 'another' }, 'column canary'],
    [
      'generic',
      { question: encrypt('Wer wär’s?', 'one'), answer: 'x', canary: 'another' },
      'column canary',
      'web',
    ],
    ['taco', { picture_num: '1' }, 'picture_num is "1"'],
    ['mmlu_pro', { answer: 'D' }, '"D", names none of the 2 options'],
    ['agieval', { label: ['A', 'B'] }, 'names several options (A, B)'],
    ['gsm8k', { question: 'q', answer: '5' }, 'answers.from hashes'],
    ['math', { problem: 'q', solution: 'So 5.' }, 'answers.from boxed'],
  ];
  test.each(spoilt)('%s with %j %#', async (preset, changed, field, profile) => {
    const example = exampleOf(preset);
    const row = { ...example?.row, ...changed };
    expect(await problemOf(row, preset, profile ?? example!.profile)).toContain(field);
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
  beforeAll(() => {
    sandbox = createBubblewrapSandbox({ timeoutMs: 10_000, concurrency: 2 });
  });
  afterAll(() => sandbox.close());

  const passedOf = async (ground_truth: JsonObject, program: string) => {
    const task = await taskOf(verlRow('Write f.', JSON.stringify(ground_truth)), 'skywork_or1', 'code');
    const { signal } = new AbortController();
    const settings = { sandbox, timeoutMs: 10_000, outputTolerance: 1e-6, signal };
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
    const { tests } = await taskOf(verlRow('Write f.', JSON.stringify(candidate)), 'skywork_or1', 'code');
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
