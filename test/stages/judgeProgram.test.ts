// Needs bubblewrap, python3, python3-numpy.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { TaskTests } from '../../schemas/task.ts';
import { judgeProgram, type ProgramFinding } from '../../stages/judge/judgeAnswer.ts';
import { sameOutput } from '../../stages/judge/program/sameOutput.ts';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';
import { isFull } from '../support/cases.ts';

const { signal } = new AbortController();
const functional = (...checks: string[]): TaskTests => ({ kind: 'functional', checks });
const stdin = (...cases: [stdin: string, expected_output: string][]): TaskTests => ({
  kind: 'stdin',
  cases: cases.map(([given, expected_output]) => ({ stdin: given, expected_output })),
});

describe('in bubblewrap', () => {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = createBubblewrapSandbox({ timeoutMs: 10_000, concurrency: 2 });
  });
  afterAll(() => sandbox.close());

  const judge = (program: string, tests: TaskTests, timeoutMs = 10_000): Promise<ProgramFinding> =>
    judgeProgram(program, tests, { sandbox, timeoutMs, outputTolerance: 1e-6, signal });

  const add = 'class Solution:\n    def add(self, a: List[int]) -> Optional[int]:\n        return sum(a)';
  const check = (input: string, expected: number) =>
    `result = Solution().add(${input})\nassert result == ${expected}, f"Expected ${expected}, but got {repr(result)}"`;

  test('a LeetCode solution passes with the names that its signature takes for granted', async () => {
    expect(await judge(add, functional(check('[1, 2]', 3), check('[]', 0)))).toEqual({ passed: 2, tests: 2 });
  });

  test.each([
    ['1000000007.0', 'f(1) == 1000000008'],
    ['1000000.9', 'f(1) == 1000000'],
    ['10000009.0', 'f(1) == 10000000'],
    ['[10000009.0, 2]', 'f(1) == [10000000, 2]'],
    ['{"a": (1000000.9,)}', 'f(1) == {"a": (1000000,)}'],
    ['0.0000009', 'f(1) == 0'],
    ['1000000.9', '1000000 == f(1)'],
  ])('a decimal is not a whole number near it: %s, %s', async (value, check) => {
    const finding = await judge(`def f(x): return ${value}`, functional(`assert ${check}`));
    expect(finding).toMatchObject({ passed: 0 });
  });

  test('no decimal but a whole number itself is one, at any depth', async () => {
    const wholes = [0, 1, -3, 1000, 1_000_000, -10_000_000, 1_000_000_008, 123_456_789_012, 2_000_000_011];
    const near = wholes.flatMap((n) =>
      [`${n + 1}.0`, `${n - 1}.0`, `${n}.5`, `${n} + 1e-5`, `${n} * (1 + 1e-7) + 1e-4`].map((value) => [
        value,
        `${n}`,
      ]),
    );
    const holders = ['@', '[@, 2]', '("a", @)', '{"a": @}', '{"a": [(@,)]}', 'Fraction(@)', 'Decimal(@)'];
    const wrong = near.flatMap(([value, whole], at) =>
      [holders[0]!, holders[1 + (at % 6)]!].map((held) =>
        // A number of another kind stands on the side of what is expected.
        /^[FD]/.test(held)
          ? [value!, held.replace('@', whole!)]
          : [held.replace('@', value!), held.replace('@', whole!)],
      ),
    );
    const right = wholes.flatMap((n, at) => [
      [`${n}.0`, `${n}`],
      [holders[1 + (at % 4)]!.replace('@', `${n}.0`), holders[1 + (at % 4)]!.replace('@', `${n}`)],
    ]);
    expect(wrong.length).toBeGreaterThanOrEqual(60);
    const code = `from decimal import Decimal
from fractions import Fraction
${readFileSync('stages/judge/program/python/coa_equality.py', 'utf8')}
Tolerance.decimals = 1e-6
for a, b in [${[...wrong, ...right].map(([a, b]) => `(${a}, ${b})`).join(', ')}]: print(int(equal(a, b)), int(equal(b, a)))`;
    const { stdout, stderr } = await sandbox.run({ code, stdin: '', timeoutMs: 10_000 }, signal);
    expect(stderr).toBe('');
    const found = stdout.trim().split('\n');
    expect(wrong.filter((_, at) => found[at] !== '0 0')).toEqual([]);
    expect(right.filter((_, at) => found[wrong.length + at] !== '1 1')).toEqual([]);
  });

  test.each([
    ['3.0', 'f(1) == 3'],
    ['0.1 * 3 * 10', 'f(1) == 3'],
    ['0.333333301', 'f(1) == 0.3333333'],
    ['[2.0, 0.5]', 'f(1) == [2, 0.5]'],
  ])('rounding makes no other number: %s, %s', async (value, check) => {
    const finding = await judge(`def f(x): return ${value}`, functional(`assert ${check}`));
    expect(finding).toEqual({ passed: 1, tests: 1 });
  });

  const errors = [
    ...['StopIteration', 'StopAsyncIteration', 'GeneratorExit', 'KeyboardInterrupt', 'SystemExit'],
    ...['AssertionError', 'IndexError', 'type("Own", (StopIteration,), {})'],
  ];
  // Every error meets every fourth check in `make test`, each error others.
  test.each(errors)('a program that raises %s passes no check that calls it in passing', async (error) => {
    const checks = [
      'for got, want in zip(map(f, [1, 2, 3]), [10, 20, 30]):\n    assert got == want',
      'assert sum(map(f, [1])) == 0',
      'assert list(filter(f, [1])) == []',
      'assert not any(map(f, [1]))',
      'assert all(map(f, [1]))',
      'assert dict(zip([1], map(f, [1]))) == {}',
      'assert list(iter(lambda: f(1), 0)) == []',
      'for _ in map(f, [1]):\n    assert False',
    ];
    const first = errors.indexOf(error);
    for (const check of isFull ? checks : checks.filter((_, at) => at % 4 === first % 4)) {
      const finding = await judge(`def f(x): raise ${error}`, functional(check));
      expect([check, finding.passed]).toEqual([check, 0]);
    }
  });

  test('an iterator of the solution ends as it says', async () => {
    const program = `class Some:
    def __init__(self): self.n = 0
    def __iter__(self): return self
    def __next__(self):
        self.n += 1
        if self.n > 2: raise StopIteration
        return self.n`;
    const checks = ['assert list(Some()) == [1, 2]', 'assert sum(map(abs, Some())) == 3'];
    expect(await judge(program, functional(...checks))).toEqual({ passed: 2, tests: 2 });
  });

  test('the first failing check ends the judging, and evidence says what came', async () => {
    expect(await judge(add, functional(check('[1]', 1), check('[1, 2]', 4), 'boom()'))).toEqual({
      passed: 1,
      tests: 3,
      failed: {
        test: 1,
        expected: check('[1, 2]', 4),
        got: 'exit status 1: AssertionError: Expected 4, but got 3',
      },
    });
  });

  test.each([
    ['an exit before the check', `${add}\nimport sys\nsys.exit(0)`],
    ['a hard exit', `${add}\nimport os\nos._exit(0)`],
    ['an exit in the solution', 'class Solution:\n    def add(self, a):\n        exit()'],
  ])('%s passes nothing', async (_title, program) => {
    expect(await judge(program, functional(check('[1]', 1)))).toMatchObject({
      passed: 0,
      failed: { got: 'the program ended before the check' },
    });
  });

  test.each([
    ['a main part that reads input', `${add}\nif __name__ == "__main__":\n    print(input())`],
    ['a future import', `from __future__ import annotations\n${add.replace('List[int]', 'Unknown')}`],
    ['the built-in pow', `${add.replace('sum(a)', 'pow(sum(a), 1, 10)')}`],
    ['a comment at the end', `${add} # done`],
  ])('%s is no obstacle', async (_title, program) => {
    expect(await judge(program, functional(check('[1]', 1)))).toEqual({ passed: 1, tests: 1 });
  });

  test('programs are given their input and judged by their output', async () => {
    const double = 'print(int(input()) * 2, "")';
    expect(await judge(double, stdin(['2\n', '4\n'], ['3\n', '6']))).toEqual({ passed: 2, tests: 2 });
    expect(await judge(double, stdin(['2\n', '4\n'], ['3\n', '7\n']))).toEqual({
      passed: 1,
      tests: 2,
      failed: { test: 1, expected: '7\n', got: '6 \n' },
    });
  });

  test('a program that fails, or does not parse, is named by its last words', async () => {
    expect(await judge('print(4)\n1 / 0', stdin(['', '4']))).toMatchObject({
      passed: 0,
      failed: { got: 'exit status 1: ZeroDivisionError: division by zero' },
    });
    expect(await judge('def', stdin(['', '4']))).toMatchObject({
      failed: { got: expect.stringContaining('SyntaxError') },
    });
  });

  test('a program that never ends is cut off, again when it is run again', async () => {
    expect(await judge('while True: pass', stdin(['', '4']), 500)).toEqual({
      passed: 0,
      tests: 1,
      failed: { test: 0, expected: '4', got: 'no end within the time limit', reruns: 1 },
    });
  });

  test.each([
    ['for ever', 'while True: print("x" * 1000)'],
    ['for ever on the other stream', 'import sys\nwhile True: print("x" * 1000, file=sys.stderr)'],
    ['one line without an end', 'import sys\nwhile True: sys.stdout.write("x" * 1000)'],
  ])('a program that prints %s is cut off', async (_title, program) => {
    const finding = await judge(program, stdin(['', '4']));
    expect(finding).toMatchObject({ passed: 0, failed: { got: 'too much output' } });
    expect(JSON.stringify(finding).length).toBeLessThan(1_000);
  });

  describe('what a call returns is looked at where the solution is not', () => {
    const returning = (value: string) => `class Solution:\n    def add(self, a):\n        return ${value}`;

    test.each([
      [
        'an object that equals everything',
        'type("E", (), {"__eq__": lambda *_: True})()',
        'an object of class E',
      ],
      [
        'a number that equals everything',
        'type("E", (int,), {"__eq__": lambda *_: True})(7)',
        'Expected 3, but got 7',
      ],
      [
        'the expected value, out of its own file',
        'int(re.findall("== ([0-9]+)", open("/tmp/main.py").read())[0])',
        'IndexError',
      ],
      ['what lies about', 'open("/etc/hostname").read()', 'FileNotFoundError'],
      ['a line of the checker', 'print("0" * 64) or 0', 'Expected 3, but got 0'],
    ])('%s passes nothing', async (_title, value, got) => {
      const finding = await judge(returning(value), functional(check('[1, 2]', 3)));
      expect(finding).toMatchObject({ passed: 0, failed: { got: expect.stringContaining(got) } });
    });

    const equal = (value: string, expected: string) =>
      judge(returning(value), functional(`result = Solution().add(0)\nassert result == ${expected}, "no"`));
    test.each([
      ['[1, (2, "x"), None, True]', '[1, (2, "x"), None, True]', true],
      ['[1, 2]', '(1, 2)', false],
      ['{1, 2}', '{2, 1}', true],
      ['{(1, 2): [3]}', '{(1, 2): [3]}', true],
      ['10 ** 5000', '10 ** 5000', true],
      ['0.1 + 0.2', '0.3', true],
      ['[0.1 + 0.2, inf]', '[0.3, float("inf")]', true],
      ['3.5', 'float("inf")', false],
      ['0.31', '0.3', false],
      ['"a\\nb"', '"a\\nb"', true],
      ['deque([1])', '[1]', false],
      ['Counter("aab")', '{"a": 2, "b": 1}', true],
    ])('%s against %s', async (value, expected, same) => {
      expect((await equal(value, expected)).failed === undefined).toBe(same);
    });

    test('a check of another form is taken apart too', async () => {
      const other = [
        'assert Solution().add([1]) == 1',
        'n = 1\nresult = Solution().add([n])\nassert result == n',
      ];
      expect(await judge(add, functional(...other))).toEqual({ passed: 2, tests: 2 });
      expect(await judge(add, functional('assert Solution().add([1]) == 2'))).toMatchObject({ passed: 0 });
    });
  });
});

/** Answers with given results in turn, and remembers the programs. */
class RecordingSandbox implements Sandbox {
  readonly name = 'bubblewrap';
  readonly isolates = true;
  readonly programs: SandboxProgram[] = [];
  readonly #results: Partial<SandboxResult>[];

  constructor(...results: Partial<SandboxResult>[]) {
    this.#results = results;
  }

  async run(program: SandboxProgram): Promise<SandboxResult> {
    this.programs.push(program);
    const result = this.#results.shift();
    if (!result) throw new RecordFailure('sandbox_unavailable', 'gone');
    return { kind: 'exited', exitCode: 0, stdout: '', stderr: '', durationMs: 1, ...result };
  }

  async close(): Promise<void> {}
}

describe('what the sandbox says', () => {
  const judge = (sandbox: Sandbox, tests: TaskTests) =>
    judgeProgram('p', tests, { sandbox, timeoutMs: 1234, outputTolerance: 0, signal });

  test('tests after a failing one are not run, and the time limit is passed on', async () => {
    const sandbox = new RecordingSandbox({ stdout: '1' }, { stdout: '3' }, { stdout: '3' });
    expect(await judge(sandbox, stdin(['a', '1'], ['b', '2'], ['c', '3']))).toMatchObject({
      passed: 1,
      tests: 3,
    });
    expect(sandbox.programs).toEqual([
      { code: 'p', stdin: 'a', timeoutMs: 1234, isBackground: true },
      { code: 'p', stdin: 'b', timeoutMs: 1234, isBackground: true },
    ]);
  });

  test('too much output is no pass, whatever it says', async () => {
    const sandbox = new RecordingSandbox({ kind: 'output_limit', exitCode: null, stdout: '1' });
    expect(await judge(sandbox, stdin(['', '1']))).toMatchObject({
      passed: 0,
      failed: { got: 'too much output' },
    });
  });

  test('what a limit or a signal ended is run again, and marked where it ends otherwise', async () => {
    const late = { kind: 'timed_out', exitCode: null } as const;
    const killed = { exitCode: 137 } as const;
    const good = { stdout: '1' };
    const two = stdin(['', '1'], ['', '1']);
    expect(await judge(new RecordingSandbox(late, good, killed, good), two)).toEqual({
      passed: 2,
      tests: 2,
      flaky: [
        { test: 0, runs: ['no end within the time limit', 'passed'] },
        { test: 1, runs: ['exit status 137', 'passed'] },
      ],
    });
    expect(await judge(new RecordingSandbox(good, killed, late), two)).toEqual({
      passed: 1,
      tests: 2,
      failed: { test: 1, expected: '1', got: 'no end within the time limit', reruns: 1 },
      flaky: [{ test: 1, runs: ['exit status 137', 'no end within the time limit'] }],
    });
    expect(
      await judge(new RecordingSandbox({ exitCode: 1, durationMs: 1200 }, good), stdin(['', '1'])),
    ).toMatchObject({
      passed: 1,
      flaky: [{ runs: ['exit status 1', 'passed'] }],
    });
  });

  test('what a program got wrong by itself is not run again', async () => {
    for (const result of [
      { stdout: '2' },
      { exitCode: 1 },
      { kind: 'output_limit', exitCode: null },
    ] as const) {
      const sandbox = new RecordingSandbox(result, { stdout: '1' });
      expect(await judge(sandbox, stdin(['', '1']))).toMatchObject({ passed: 0 });
      expect(sandbox.programs).toHaveLength(1);
    }
  });

  test('what is expected beyond what the sandbox reads can not be judged, unless the other stream was cut', async () => {
    const cut = { kind: 'output_limit', exitCode: null, stdout: '1 '.repeat(60_000) } as const;
    const tests = stdin(['', '1 '.repeat(70_000)]);
    await expect(judge(new RecordingSandbox(cut), tests)).rejects.toMatchObject({
      failure: { cause: 'unscored' },
    });
    const flooded = new RecordingSandbox({ ...cut, stderr: 'x'.repeat(4 << 20) });
    expect(await judge(flooded, tests)).toMatchObject({ failed: { got: 'too much output' } });
  });

  test('long output is cut in evidence', async () => {
    const finding = await judge(new RecordingSandbox({ stdout: 'x'.repeat(5000) }), stdin(['', '1']));
    expect(finding.failed?.got).toBe(`${'x'.repeat(300)}… (5000 characters)`);
  });

  test('a sandbox that fails stays a failure', async () => {
    await expect(judge(new RecordingSandbox(), stdin(['', '1']))).rejects.toMatchObject({
      failure: { cause: 'sandbox_unavailable', retryable: true },
    });
  });
});

test.each([
  ['1 2\n3 \n', '1 2\n3', true],
  ['1  2', '1 2', true],
  ['1\r\n2 \r\n', '1\n2', true],
  ['-0', '0', true],
  ['-0.00', '0.0', true],
  ['nan inf', 'nan inf', true],
  ['', '\n', true],
  ['1', '1 1', false],
  ['Yes', 'yes', false],
  ['0.30000000000000004', '0.3', true],
  ['0.31', '0.3', false],
  ['1.0', '1', true],
  ['1', '1.0', true],
  ['25.0', '25', true],
  ['1e3', '1000', true],
  ['007', '7', true],
  ['1_000', '1000', true],
  ['+5', '5', true],
  ['.5 5.', '0.50 5', true],
  ['1e-400', '10e-401', true],
  ['-inf Infinity', '-Infinity inf', true],
  ['12345678901234567890.0', '12345678901234567890', true],
  ['12345678901234567891', '12345678901234567890', false],
  ['1  2.0', '1 2', true],
  ['1 2', '1\n2', false],
  ['1\n2', '1 2', false],
  ['1\n\n2', '1\n2', false],
  ['1\n\n2', '1\n \n2.0', true],
  ['YES  1', 'YES 1', false],
  ['YES 1.0', 'YES 1', false],
  ['x 0.3000000000001', 'x 0.3', true],
  ['25.1', '25', false],
  ['25.0000001', '25', false],
  ['1e3', '100', false],
  ['007', '70', false],
  ['-5', '5', false],
  ['inf', '-inf', false],
  ['1e', '1', false],
  ['0x10', '16', false],
  ['nan', '1.0', false],
  ['1234567.6', '1234567.5', false],
  ['0.3333333', '0.3333333333333333', false],
  ['0.33333333333', '0.3333333333333333', true],
  ['1e-3', '0.001', true],
  ['1E3', '1000', true],
  ['1.0', '1e999', false],
  ['1e999', '1.0', false],
  ['5', '4', false],
])('printed %j, expected %j', (printed, expected, same) => {
  expect(sameOutput(printed, expected, 1e-9)).toBe(same);
});
