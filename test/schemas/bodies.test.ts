import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerBody, answerText, lastBoxed } from '../../schemas/coa/answers.ts';
import {
  bodyProblem,
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

test('grades are read as the released prompts list them', () => {
  const body = '\n1. information_conflict: Good\n- tool_effectiveness: fair\n* Trajectory_monitoring: Poor\n';
  expect(parseGrades(body)).toEqual({
    information_conflict: 'Good',
    tool_effectiveness: 'fair',
    trajectory_monitoring: 'Poor',
  });
  expect(parseGrades('information_conflict: Good')).toBeUndefined();
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

test('a program that holds a fence of its own survives as an answer', () => {
  const program = 'text = """\n```\ncode\n```\n"""\nprint(text)';
  expect(answerText('code', answerBody('code', program))).toBe(program);
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
  ['json', '{"file_path": "a.png"}', 'JSON object'],
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
