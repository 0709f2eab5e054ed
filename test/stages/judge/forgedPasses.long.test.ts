import { expect, onTestFinished, test } from 'vitest';
import type { Sandbox, SandboxProgram } from '../../../contract/sandbox.ts';
import type { TaskTests } from '../../../schemas/task.ts';
import { judgeProgram } from '../../../stages/judge/judgeAnswer.ts';
import { createBubblewrapSandbox } from '../../../tools/sandbox/createBubblewrapSandbox.ts';
import { createPyodideSandbox } from '../../../tools/sandbox/createPyodideSandbox.ts';
import { cheats } from './support/cheats.ts';
import { oddPrograms } from './support/oddPrograms.ts';

const call = '__import__("json").loads';
/** Each form in which a test says that `f(2)` is 42. */
const forms: Readonly<Record<string, TaskTests>> = {
  output: { kind: 'stdin', cases: [{ stdin: '2\n', expected_output: '42\n' }] },
  result: { kind: 'functional', checks: ['result = f(2)\nassert result == 42, f"got {result}"'] },
  assertion: { kind: 'functional', checks: ['assert f(2) == 42'] },
  variable: { kind: 'functional', checks: ['expected = 42\nresult = f(2)\nassert result == expected'] },
  candidate: {
    kind: 'functional',
    checks: [
      'def check(candidate):\n    for n, want in [(2, 42)]:\n        assert candidate(n) == want\ncheck(f)',
    ],
  },
  json: {
    kind: 'functional',
    checks: [
      `result = (Solution().f if "Solution" in globals() else f)(*map(${call}, "2".split("\\n")))\nassert (list(result) if isinstance(result, tuple) else result) == ${call}("42")`,
    ],
  },
};

const noNumpy = '__import__("sys").modules["numpy"] = None\n';
const withoutNumpy = (sandbox: Sandbox): Sandbox => ({
  ...sandbox,
  run: (program: SandboxProgram, signal) => {
    // A future import comes before all else.
    const behindFuture = program.code.replace(/^from __future__ .*\n/m, `$&${noNumpy}`);
    const code = behindFuture === program.code ? `${noNumpy}${program.code}` : behindFuture;
    return sandbox.run({ ...program, code }, signal);
  },
});

type Opened = readonly [name: string, open: () => Sandbox | Promise<Sandbox>];
const openBubblewrap = () => createBubblewrapSandbox({ timeoutMs: 20_000, concurrency: 2 });
const isolating: readonly Opened[] = [
  ['bubblewrap', openBubblewrap],
  ['bubblewrap without numpy', () => withoutNumpy(openBubblewrap())],
];
const pyodide: Opened = ['pyodide', () => createPyodideSandbox({ timeoutMs: 60_000, concurrency: 2 })];
const all = [...isolating, pyodide];

/**
 * One of so many pairs of a program and a form is judged in each sandbox, another one in each; COA_FORGED_PASSES=1: all.
 * At most the number of forms, so that each sandbox judges each program.
 */
const oneIn = Number(process.env.COA_FORGED_PASSES ?? 5);

/** Titles of the programs that end otherwise than they should, by form. */
async function surprises(
  [name, open]: Opened,
  programs: Readonly<Record<string, string>>,
  ends: 'passes' | 'fails',
): Promise<string[]> {
  const first = all.findIndex(([other]) => other === name);
  const sandbox = await open();
  onTestFinished(() => sandbox.close());
  const { signal } = new AbortController();
  // A run's own limit is 10 s; what never ends is run twice. A slow machine must not fail what should pass.
  const timeoutMs = ends === 'fails' ? 10_000 : 20_000;
  const settings = { sandbox, timeoutMs, outputTolerance: 1e-6, signal };
  const found = Object.entries(programs).flatMap(([title, program], nth) =>
    Object.entries(forms).map(async ([form, tests], at) => {
      if ((first + nth + at) % oneIn !== 0) return [];
      const code = tests.kind === 'stdin' ? `${program}\nprint(f(int(input())))` : program;
      const ended = await judgeProgram(code, tests, settings).then(
        ({ failed }) => (failed ? `fails ${failed.got}` : 'passes'),
        (error: Error) => `unscored ${error.message}`,
      );
      return ended.startsWith(ends) ? [] : [`${form}, ${title}: ${ended}`];
    }),
  );
  return (await Promise.all(found)).flat();
}

const timeout = 1_800_000;

test.each(all)('in %s no program forges a pass in any form of test', { timeout }, async (...opened) => {
  expect(await surprises(opened, cheats, 'fails')).toEqual([]);
});

// Not in Pyodide, which has no processes, no threads and less depth.
test.each(isolating)('in %s odd programs pass in every form', { timeout }, async (...opened) => {
  expect(await surprises(opened, oddPrograms, 'passes')).toEqual([]);
});
