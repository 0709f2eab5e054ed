import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactJson } from '../../base/rows/fileRow.ts';
import { UserError } from '../../base/userError.ts';
import { taskSchema } from '../../schemas/task.ts';
import { emittedTasks, readTasks, type SourceOptions } from '../support/readTasks.ts';
import { temporaryFile } from '../support/temporaryFolder.ts';

async function tasksOf(name: string, content: string | Uint8Array, source: Partial<SourceOptions> = {}) {
  return emittedTasks(await readTasks([{ ...source, path: temporaryFile(name, content) }]));
}

async function errorOf(run: Promise<unknown>): Promise<string> {
  const error = await run.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
}

const line = (question: string, answer: unknown = 'a') => `${JSON.stringify({ question, answer })}\n`;

describe('every format gives the same tasks', () => {
  const rows = [
    { id: 'q1', question: 'Who?', answer: 'she, "her"' },
    { id: 'q2', question: 'Two\nlines?', answer: 'ü' },
  ];
  const csv = 'id,question,answer\r\nq1,Who?,"she, ""her"""\r\n\r\nq2,"Two\r\nlines?",ü\r\n';
  test.each([
    ['a.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'), [1, 2]],
    ['a.jsonl', `\uFEFF${rows.map((row) => JSON.stringify(row)).join('\r\n\r\n')}\r\n`, [1, 3]],
    ['a.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'), [1, 2]],
    ['a.JSON', JSON.stringify(rows), [1, 2]],
    ['a.json', `\uFEFF${JSON.stringify({ data: rows })}`, [1, 2]],
    ['a.csv', csv, [2, 5]],
    ['a.csv', `\uFEFF${csv.replaceAll('\r\n', '\n')}`, [2, 5]],
  ])('%s %#', async (name, content, at) => {
    const tasks = await tasksOf(name, content);
    expect(tasks.map(({ given_id, question, answers }) => ({ given_id, question, answers }))).toEqual([
      { given_id: 'q1', question: 'Who?', answers: ['she, "her"'] },
      { given_id: 'q2', question: 'Two\nlines?', answers: ['ü'] },
    ]);
    expect(tasks.map((task) => task.source)).toEqual(at.map((row) => ({ file: name, row })));
    for (const task of tasks) expect(taskSchema.parse(task)).toEqual(task);
  });
});

test.each([
  [
    'NaN in a cell',
    'a.csv',
    'question,answer\nWho?,NaN\n',
    'line 2: the answer (column answer), "NaN", is how programs',
  ],
  [
    'a question that no model can be asked',
    'a.jsonl',
    line('why '.repeat(3_000_000)),
    'line 1: the question (column question) has 11,999,999 characters; expected at most 1,000,000',
  ],
])('%s is a bad task', async (_, name, content, message) => {
  expect(await errorOf(tasksOf(name, content))).toContain(message);
});

test('NaN is an answer where that is said', async () => {
  const whole = { answers: { from: 'whole' } } as const;
  const [task] = await tasksOf('a.csv', 'question,answer\nWhat is 0/0?,NaN\n', whole);
  expect(task?.answers).toEqual(['NaN']);
});

describe('answers', () => {
  test.each([
    ['a', ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [7, ['7']],
    [
      [1.5, '2'],
      ['1.5', '2'],
    ],
    [['', 'a', ' '], ['a']],
    ['e\u0301', ['é']],
  ])('%j', async (answer, expected) => {
    const [task] = await tasksOf('a.jsonl', line('Who?', answer));
    expect(task?.answers).toEqual(expected);
  });

  test('a long integer keeps its digits', async () => {
    const [task] = await tasksOf('a.jsonl', '{"question":"q","answer":[12345678901234567890, 0.1]}');
    expect(task?.answers).toEqual(['12345678901234567890', '0.1']);
  });

  test('a CSV cell that is a JSON list of strings is a list, other brackets are text', async () => {
    const tasks = await tasksOf('a.csv', 'question,answers\nq1,"[""a"", ""b""]"\nq2,"[1, 2]"\n');
    expect(tasks.map((task) => task.answers)).toEqual([['a', 'b'], ['[1, 2]']]);
  });
});

test('JSON is parsed as JSON.parse does, long integers apart', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify([value, 'pad 1234567890123456']);
      fc.pre(!/(?<![.\d])\d{16,}(?![.\d])|e\+/.test(JSON.stringify(value)));
      expect(parseExactJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('questions are NFC with LF, and U+2028 ends no line', async () => {
  const [task] = await tasksOf('a.jsonl', line(' e\u0301\r\nwho\u2028? '));
  expect(task?.question).toBe('é\nwho\u2028?');
});

test('columns are found by name and by path, and the rest goes to extra', async () => {
  const row = {
    meta: { key: 'k1', level: 3, list: [{ text: 'Q' }], json: '{"gold": "g"}' },
    hint: 'x',
    'a.b': 'dotted',
  };
  const columns = {
    id: 'meta.key',
    question: 'meta.list.-1.text',
    answers: 'meta.json.gold',
    data_source: 'a.b',
  };
  const [task] = await tasksOf('a.jsonl', JSON.stringify(row), { columns });
  expect(task).toMatchObject({
    given_id: 'k1',
    question: 'Q',
    answers: ['g'],
    source: { data_source: 'dotted' },
    extra: { meta: { level: 3 }, hint: 'x' },
  });
});

describe('tests', () => {
  const code = { profile: 'code' };
  test('as an object, as JSON text, by stdin and by call', async () => {
    const stdin = { stdin: ['1\n', '2\n'], expected_output: ['2\n', '4\n'] };
    const functional = {
      functional: 'result = f(1)\nassert result == 2\nresult = f(2)\nassert result == 4\n',
      func_name: 'f',
    };
    const rows = [
      { question: 'q1', tests: stdin },
      { question: 'q2', tests: JSON.stringify(stdin) },
      { question: 'WRITE F!', tests: functional, answer: 'ignored' },
    ];
    const tasks = await tasksOf('a.json', JSON.stringify(rows), code);
    const cases = [
      { stdin: '1\n', expected_output: '2\n' },
      { stdin: '2\n', expected_output: '4\n' },
    ];
    expect(tasks.map((task) => task.tests)).toEqual([
      { kind: 'stdin', cases },
      { kind: 'stdin', cases },
      {
        kind: 'functional',
        checks: ['result = f(1)\nassert result == 2', 'result = f(2)\nassert result == 4'],
        func_name: 'f',
      },
    ]);
    expect(tasks.map((task) => task.domain)).toEqual(['code', 'code', 'code']);
  });

  test.each([
    [
      'set up first',
      's = Solution()\nresult = s.f(1)\nassert result == 2\nresult = s.f(2)\nassert result == 3',
      [
        's = Solution()\nresult = s.f(1)\nassert result == 2',
        's = Solution()\nresult = s.f(2)\nassert result == 3',
      ],
    ],
    ['asserts alone', 'assert f(1) == 2\nassert f(2) == 3', ['assert f(1) == 2\nassert f(2) == 3']],
    [
      'an uneven group',
      'result = f()\nassert result\nassert g()',
      ['result = f()\nassert result\nassert g()'],
    ],
  ])('checks are split by group: %s', async (_title, functional, checks) => {
    const [task] = await tasksOf(
      'a.json',
      JSON.stringify([{ question: 'Write f.', tests: { functional } }]),
      code,
    );
    expect(task?.tests).toMatchObject({ checks });
  });
});

describe('a bad row is named with file and line', () => {
  const good = line('Who?');
  test.each([
    [`${good}{"question": "x"\n`, 'a.jsonl line 2: the row is not JSON'],
    [`${good}[1]\n`, 'a.jsonl line 2: expected a JSON object'],
    [
      `${good}{"frage":"q","answer":"a"}\n`,
      'a.jsonl line 2: no question (column question or Question or problem or Problem); the row has "frage", "answer": name the right one with columns.question',
    ],
    [
      `${good}{}\n`,
      'a.jsonl line 2: no question (column question or Question or problem or Problem); the row has no columns',
    ],
    [
      `${good}{"question":"q","antwort":"a"}\n`,
      'no answer (column answers or answer or Answer); the row has "question", "antwort": name the right one with columns.answers',
    ],
    [`${good}{"question":null,"answer":"a"}\n`, 'a.jsonl line 2: no question'],
    [`${good}{"question":{"a":1},"answer":"a"}\n`, 'must be a string'],
    [`\n${good}\n${line(' ')}`, 'a.jsonl line 4: the question (column question) is empty'],
    [`${good}${line('q', [])}`, 'a.jsonl line 2: no answer (column answer)'],
    [`${good}${line('q', '')}`, 'no answer'],
    [`${good}${line('q', ['  '])}`, 'no answer'],
    [`${good}${line('q', true)}`, 'the answer (column answer) must be a string or a number, found true'],
    [`${good}${line('q', [{ a: 1 }])}`, 'found {"a":1}'],
    [
      '{"id":1,"question":"q","answer":"a"}\n{"id":"1","question":"r","answer":"a"}',
      'line 2: duplicate id "1", first on line 1',
    ],
  ])('%j', async (content, message) => {
    const error = await errorOf(tasksOf('a.jsonl', content));
    expect(error).toContain(message);
    expect(error).toContain('--set tasks.on_bad_task=skip');
  });

  test.each([
    [null, 'no tests to judge programs by (column tests)'],
    [{ stdin: ['1'], expected_output: [] }, 'found 1 stdin and 0 expected_output'],
    [{ stdin: 'x', expected_output: ['1'] }, 'lists of strings'],
    [{ functional: ' ' }, 'must be Python text'],
    [{ calls: 1 }, 'need "stdin" and "expected_output", or "functional"'],
    [{ calls: 1 }, 'found "calls"'],
    ['{"stdin": ', 'the tests (column tests) are broken JSON'],
    [3, 'must be an object or a list of cases'],
  ])('tests %j', async (tests, message) => {
    const content = JSON.stringify({ question: 'q', answer: 'a', tests });
    expect(await errorOf(tasksOf('a.jsonl', content, { profile: 'code' }))).toContain(message);
  });

  test('CSV rows of another length', async () => {
    const content = 'question,answer\n"two\nlines",b\nq\nq,a,z\n';
    expect(await errorOf(tasksOf('a.csv', content))).toBe(
      'a.csv line 4: expected 2 columns, found 1\na.csv line 5: expected 2 columns, found 3\nfix the rows, or leave them out with --set tasks.on_bad_task=skip',
    );
  });

  test('bytes that are not UTF-8', async () => {
    const content = Buffer.concat([Buffer.from(good), Buffer.from([0x7b, 0xff, 0x7d, 0x0a])]);
    expect(await errorOf(tasksOf('a.jsonl', content))).toContain('a.jsonl line 2: the row is not UTF-8');
  });

  test('an AFM row without its marker', async () => {
    const row = { prompt: [{ content: 'no marker' }], reward_model: { ground_truth: '1' } };
    const error = await errorOf(
      tasksOf('a.jsonl', JSON.stringify(row), { preset: 'afm_math', profile: 'math' }),
    );
    expect(error).toContain('lacks /\\n\\nTask:\\s/g before the task');
  });
});

test('skip drops bad rows with evidence and keeps the rest, indices counting all rows', async () => {
  const file = temporaryFile('a.jsonl', `${line('q1')}{\n${line('q2')}${line('')}`);
  const outcomes = await readTasks([{ path: file }], { onBadTask: 'skip' });
  expect(outcomes.map(({ index, outcome }) => [index, outcome.kind])).toEqual([
    [0, 'emit'],
    [1, 'drop'],
    [2, 'emit'],
    [3, 'drop'],
  ]);
  expect(outcomes[3]?.outcome).toEqual({
    kind: 'drop',
    reason: 'bad_task',
    evidence: {
      file: 'a.jsonl',
      line: 4,
      code: 'unusable',
      problem: 'the question (column question) is empty',
    },
  });
});

test('ids are one a file: two files may count from the same number', async () => {
  const row = '{"id":1,"question":"q","answer":"a"}';
  const outcomes = await readTasks([
    { path: temporaryFile('a.jsonl', row) },
    { path: temporaryFile('b.jsonl', row), profile: 'web' },
  ]);
  expect(emittedTasks(outcomes).map((task) => [task.given_id, task.profile])).toEqual([
    ['1', 'mhqa'],
    ['1', 'web'],
  ]);
});

describe('limits count tasks', () => {
  const content = ['q1', 'q2', 'q3'].map((question) => line(question)).join('');
  test('of one file and of all', async () => {
    const sources = () => [
      { path: temporaryFile('a.jsonl', content), limit: 2 },
      { path: temporaryFile('b.jsonl', content), profile: 'web' },
    ];
    const questions = async (limit?: number) =>
      emittedTasks(await readTasks(sources(), limit === undefined ? {} : { limit })).map(
        (task) => `${task.profile} ${task.question}`,
      );
    expect(await questions()).toEqual(['mhqa q1', 'mhqa q2', 'web q1', 'web q2', 'web q3']);
    expect(await questions(3)).toEqual(['mhqa q1', 'mhqa q2', 'web q1']);
    expect(await questions(2)).toEqual(['mhqa q1', 'mhqa q2']);
  });

  test('rows after the limit are not looked at', async () => {
    const file = temporaryFile('a.jsonl', `${content}broken`);
    expect(await readTasks([{ path: file }], { limit: 3 })).toHaveLength(3);
  });
});

describe('a file that is no task file is one message', () => {
  test.each([
    ['a.jsonl', '', 'the file is empty'],
    ['a.jsonl', '\n\n', 'holds no rows'],
    ['a.json', '[]', 'it holds no tasks'],
    ['a.csv', 'question,answer\n', 'it holds no tasks'],
    ['a.json', '{"rows": []}', 'a.json: no column `question`; no column `answers`; the rows have `rows`'],
    ['a.json', '[{]', 'ends after row 1 without the closing ]'],
    [
      'a.json',
      `${'['.repeat(2e5)}${']'.repeat(2e5)}`,
      'a.json row 1: the row is not JSON (nested deeper than 200 levels)',
    ],
    [
      'a.jsonl',
      `{"x":${'['.repeat(2e5)}${']'.repeat(2e5)}}`,
      'a.jsonl line 1: the row is not JSON (nested deeper',
    ],
    ['a.csv', 'question,answer, answer\na,b,c\n', 'a.csv line 1: two columns are named "answer"'],
    ['a.csv', 'question,answer\n"a"b,c\n', 'a.csv: broken CSV'],
    ['a.csv', 'question,answer\n"a,c\n', 'a.csv: broken CSV'],
    ['a.parquet', 'PAR1 but not really PAR1', 'a.parquet: not a readable parquet file'],
    [
      'a.xlsx',
      'x',
      'expected a JSON list ([), JSON lines ({), or CSV in a file that ends in .csv, found "x"',
    ],
  ])('%s %j', async (name, content, message) => {
    const error = await errorOf(tasksOf(name, content));
    expect(error).toContain(message);
    expect(error).not.toContain('\n');
  });

  test('missing, a folder, an unknown profile', async () => {
    expect(await errorOf(readTasks([{ path: '/nowhere/a.jsonl' }]))).toContain('there is no such file');
    const inFile = `${temporaryFile('x', '')}/a.jsonl`;
    expect(await errorOf(readTasks([{ path: inFile }]))).toContain("it can't be read (ENOTDIR)");
    const known = temporaryFile('a.jsonl', line('q'));
    expect(await errorOf(readTasks([{ path: known, profile: 'wbe' }]))).toContain('unknown profile "wbe"');
  });

  test('all files are looked for before the first is read', async () => {
    const first = temporaryFile('a.jsonl', line('q'));
    const run = readTasks([{ path: first }, { path: '/nowhere/b.jsonl' }], { onBadTask: 'skip' });
    expect(await errorOf(run)).toContain('/nowhere/b.jsonl');
  });
});
