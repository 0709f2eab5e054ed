import { afterAll, expect, test } from 'vitest';
import type { Sandbox } from '../../../contract/sandbox.ts';
import type { TaskTests } from '../../../schemas/task.ts';
import { judgeProgram } from '../../../stages/judge/judgeAnswer.ts';
import { createBubblewrapSandbox } from '../../../tools/sandbox/createBubblewrapSandbox.ts';
import { undecidablePrograms } from './support/undecidableWays.ts';

const bubblewrap = createBubblewrapSandbox({ timeoutMs: 10_000, concurrency: 2 });
afterAll(() => bubblewrap.close());

const forms: readonly TaskTests[] = [
  { kind: 'stdin', cases: [{ stdin: '2\n', expected_output: '42\n' }] },
  { kind: 'functional', checks: ['assert f(2) == 42'] },
  { kind: 'functional', checks: ['result = f(2)\nassert sorted(result) == [42], f"got {result!r}"'] },
];

/** CPU seconds that each run of a sandbox may take at most, but for those that hold the program. */
function judgingRuns(
  sandbox: Sandbox,
  program: string,
): { sandbox: Sandbox; seconds: (number | undefined)[] } {
  const seconds: (number | undefined)[] = [];
  const run: Sandbox['run'] = (asked, signal) => {
    const isChecking = asked.stdin.startsWith('1\n') && !asked.code.includes(program);
    if (isChecking) seconds.push(asked.limits?.cpuSeconds);
    return sandbox.run(asked, signal);
  };
  return { sandbox: { ...sandbox, run }, seconds };
}

test('no program chooses to be unscored, and judging takes 2 s of CPU time at most', {
  timeout: 1_800_000,
}, async () => {
  const { signal } = new AbortController();
  for (const [title, program] of Object.entries(undecidablePrograms)) {
    const { sandbox, seconds } = judgingRuns(bubblewrap, program);
    const settings = { sandbox, timeoutMs: 10_000, outputTolerance: 1e-6, signal };
    const found = await Promise.all(
      forms.map((tests) => {
        const code = tests.kind === 'stdin' ? `${program}\nprint(f(int(input())))` : program;
        return judgeProgram(code, tests, settings).then(
          ({ failed }) => (failed ? 'wrong' : 'right'),
          (error: Error) => error.message,
        );
      }),
    );
    expect([title, ...found]).toEqual([title, 'wrong', 'wrong', 'wrong']);
    expect(seconds.every((one) => one === 2)).toBe(true);
  }
});
