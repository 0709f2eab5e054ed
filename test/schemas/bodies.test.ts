import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerBody, answerText, lastBoxed } from '../../schemas/coa/answers.ts';
import {
  bodyProblem,
  canonicalBody,
  gradesBody,
  parseGrades,
  parseJsonBody,
  parseProgramBody,
  parseScore,
  reflectionCriteria,
  reflectionGrades,
  scoreBody,
  toolBody,
} from '../../schemas/coa/bodies.ts';
import { codeBody } from '../../schemas/coa/layout.ts';

const withoutFence = fc.string({ maxLength: 40 }).map((text) => text.replaceAll('```', "'''"));

test('a program and its stdin survive their body', () => {
  fc.assert(
    fc.property(withoutFence, fc.option(withoutFence, { nil: undefined }), (code, stdin) => {
      const read = parseProgramBody(codeBody(code, stdin));
      expect(read).toEqual(stdin ? { code, stdin } : { code });
    }),
  );
});

test('any JSON input survives its body', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
      const plain = JSON.parse(JSON.stringify(input));
      expect(parseJsonBody(toolBody('json', plain))).toEqual(plain);
    }),
  );
});

test('a program that holds fences is read up to the last one', () => {
  const code = 'a = """\n```\n"""';
  expect(parseProgramBody(codeBody(code))).toEqual({ code });
  expect(parseProgramBody(codeBody(code, '1\n```\n2'))).toEqual({ code, stdin: '1\n```\n2' });
  expect(parseProgramBody('\n```py\n```\n')).toBeUndefined();
});

test('scores survive their body, and nothing else is a score', () => {
  for (const score of [1, 2, 3, 4]) expect(parseScore(scoreBody(score))).toBe(score);
  for (const body of [
    scoreBody(0),
    scoreBody(5),
    '3',
    'The score this time is:',
    'The score this time is:34',
  ]) {
    expect(parseScore(body)).toBeUndefined();
  }
});

test('grades survive their body', () => {
  const grades = fc.record(
    Object.fromEntries(reflectionCriteria.map((name) => [name, fc.constantFrom(...reflectionGrades)])),
  );
  fc.assert(
    fc.property(grades, (given) => {
      expect(parseGrades(gradesBody(given))).toEqual(given);
    }),
  );
});

describe('answers survive their body', () => {
  test.each([
    '\\frac{1}{2}',
    '\\{1, 2\\}',
    '5',
    'x^{2}',
    '\\boxed{7}',
    '\\left( 3, \\frac{\\pi}{2} \\right)',
  ])('maths %s', (answer) => {
    expect(answerText('math', answerBody('math', answer))).toBe(answer.replace(/^\\boxed\{(.*)\}$/, '$1'));
  });
  test('programs', () => {
    fc.assert(
      fc.property(withoutFence, (text) => {
        const program = text.trim();
        fc.pre(program !== '');
        expect(answerText('code', answerBody('code', program))).toBe(program);
        expect(answerText('code', answerBody('code', `Here:\n\`\`\`python\n${program}\n\`\`\``))).toBe(
          program,
        );
      }),
    );
  });
  test('words', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(answerText('qa', answerBody('qa', text))).toBe(text.trim());
      }),
    );
  });
});

test.each([
  ['so \\boxed{1} or \\boxed{\\frac{1}{2}} then', '\\frac{1}{2}'],
  ['\\boxed{\\}}', '\\}'],
  ['\\boxed{1', undefined],
  ['1', undefined],
])('the last box of %j', (text, expected) => {
  expect(lastBoxed(text)).toBe(expected);
});

test.each([
  ['text', ' ', 'empty'],
  ['code', 'print(1)', 'fenced py'],
  ['code', codeBody('print(1)'), undefined],
  ['score', 'high', 'score'],
  ['grades', 'Good', 'grade'],
  ['urls', 'https://a.example/b | http://c.example', undefined],
  ['urls', 'https://a.example/b c', 'URLs'],
  ['urls', 'ftp://a', 'URLs'],
  ['json', toolBody('json', { file_path: 'a.png', question: '`' }), undefined],
  ['json', '\n```json\n[1]\n```\n', 'JSON object'],
  ['json', '\n```json\n', 'JSON object'],
  ['text', 'words', undefined],
] as const)('body rule %s on %j', (rule, body, problem) => {
  if (problem === undefined) expect(bodyProblem(rule, body)).toBeUndefined();
  else expect(bodyProblem(rule, body)).toContain(problem);
});

test.each([
  ['text', { query: 'who' }, 'who'],
  ['urls', { urls: ['https://a', 'https://b'] }, 'https://a | https://b'],
  ['code', { code: 'print(1)', stdin: '2' }, codeBody('print(1)', '2')],
  ['text', { b: 1, a: 2 }, '{"a":2,"b":1}'],
  ['json', { file_path: 'a.png' }, '\n```json\n{"file_path":"a.png"}\n```\n'],
] as const)('tool body %s of %j', (rule, input, body) => {
  expect(toolBody(rule, input)).toBe(body);
});

/** What AFM's own parsers read (verl/tools/utils/code_executors, verl/tools/visual_inspector.py). */
describe('the forms of AFM are read, and one is written', () => {
  test.each([
    ['tight', '```python\nprint(1)\n```'],
    ['on lines of their own', '\n```python\nprint(1)\n```\n'],
    ['indented', ' \n```py\nprint(1)\n``` \n\n'],
  ])('fences %s', (_, body) => {
    expect(bodyProblem('code', body)).toBeUndefined();
    expect(parseProgramBody(body)).toEqual({ code: 'print(1)' });
    expect(canonicalBody('code', body)).toBe(codeBody('print(1)'));
  });

  test.each(['```sh\n2\n```', '```bash\n2\n```', '\n\n```sh\n2```'])('stdin in %j', (stdin) => {
    const body = `\`\`\`py\nprint(input())\n\`\`\`${stdin}`;
    expect(parseProgramBody(body)).toEqual({ code: 'print(input())', stdin: '2' });
    expect(canonicalBody('code', body)).toBe(codeBody('print(input())', '2'));
  });

  test('several programs are one, as in its sandbox', () => {
    const body = '```py\na = 1\n```\n```python\nprint(a)\n```';
    expect(parseProgramBody(body)).toEqual({ code: 'a = 1\n\nprint(a)' });
  });

  test('words around a program are read past and stay', () => {
    const body = 'So:\n```py\nprint(1)\n```\nThat is all.';
    expect(parseProgramBody(body)).toEqual({ code: 'print(1)' });
    expect(canonicalBody('code', body)).toBe(body);
  });

  test.each(['print(1)', '```py\nprint(1)', '```py print(1)```', '```\nprint(1)\n```'])(
    'no program: %j',
    (body) => {
      expect(bodyProblem('code', body)).toContain('fenced py');
      expect(canonicalBody('code', body)).toBe(body);
    },
  );

  test.each([
    '{"file_path":"a.png","n":1.0}',
    '```json\n{"file_path":"a.png","n":1.0}\n```',
    ' ```json{"file_path":"a.png","n":1.0}',
  ])('an object as %j', (body) => {
    expect(parseJsonBody(body)).toEqual({ file_path: 'a.png', n: 1 });
    expect(canonicalBody('json', body)).toBe('\n```json\n{"file_path":"a.png","n":1.0}\n```\n');
  });

  const graded = {
    information_conflict: 'Good',
    tool_effectiveness: 'Average',
    trajectory_monitoring: 'Poor',
  };
  test.each([
    'information_conflict: Good, tool_effectiveness: Average, trajectory_monitoring: Poor',
    '(1) Information Conflict: Good; (2) Tool Effectiveness: Average; (3) Trajectory Monitoring: Poor.',
    'information_conflict:Good|tool_effectiveness:Average|trajectory_monitoring:Poor',
    '{"information_conflict": "Good", "tool_effectiveness": "Average", "trajectory_monitoring": "Poor"}',
    '**Information conflict**: Good **Tool effectiveness**: Average **Trajectory monitoring**: Poor',
  ])('grades as %j', (body) => {
    expect(parseGrades(body)).toEqual(graded);
    expect(canonicalBody('grades', body)).toBe(gradesBody(graded));
  });

  test('grades with reasons stay as they are', () => {
    const body =
      'information_conflict: Good, for all agree. tool_effectiveness: Poor, trajectory_monitoring: Fair';
    expect(parseGrades(body)).toMatchObject({ tool_effectiveness: 'Poor' });
    expect(canonicalBody('grades', body)).toBe(body);
  });

  test('what is written once is written so again, and says the same', () => {
    const code = fc.tuple(withoutFence, fc.option(withoutFence, { nil: undefined }));
    const texts = fc.oneof(
      code.map(([program, stdin]) => codeBody(program, stdin)),
      fc
        .array(
          fc.constantFrom('```', 'py\n', 'sh\n', '\n', 'x', ' ', '{"a":1}', 'json\n', '```py\n', '\n```'),
        )
        .map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('code', 'json', 'grades', 'text', 'score', 'urls'), (body, rule) => {
        const once = canonicalBody(rule, body);
        expect(canonicalBody(rule, once)).toBe(once);
        if (rule === 'code') expect(parseProgramBody(once)).toEqual(parseProgramBody(body));
      }),
    );
  });

  test('a megabyte of fences that never close is read at once', () => {
    const body = 'x```py\n'.repeat(150_000);
    expect(parseProgramBody(body)).toBeUndefined();
    expect(parseGrades('information_conflict '.repeat(50_000))).toBeUndefined();
  });
});
