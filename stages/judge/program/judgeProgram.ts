import type { JsonObject } from '../../../base/json.ts';
import type { TaskTests } from '../../../schemas/task.ts';
import { type ProgramSettings, runCheck, runStdinCase, type TestResult } from './runTest.ts';

/** How a program fared in its tests; those after the first failing one are not run. */
export interface ProgramFinding {
  readonly passed: number;
  readonly tests: number;
  /** The first failing test, from 0, with what was expected and what came; undefined when all passed. */
  readonly failed?: JsonObject;
  /** Tests that were run again and ended in another way than at first; absent when there was none. */
  readonly flaky?: readonly JsonObject[];
}

/** A test with all its runs. */
interface TestedOnce {
  readonly last: TestResult;
  /** What was wrong in each run but the last. */
  readonly earlier: readonly string[];
}

/** Runs a program's tests in the sandbox. Throws `RecordFailure` (`sandbox_unavailable`) when they can't be run. */
export async function judgeProgram(
  program: string,
  tests: TaskTests,
  settings: ProgramSettings,
): Promise<ProgramFinding> {
  const runs =
    tests.kind === 'stdin'
      ? tests.cases.map((one) => () => runStdinCase(program, one, settings))
      : tests.checks.map((check) => () => runCheck(prefixed(program, tests), check, settings));
  const flaky: JsonObject[] = [];
  for (const [test, run] of runs.entries()) {
    const { last, earlier } = await untilSettled(run, settings.reruns);
    const got = last.passed ? 'passed' : last.got;
    if (earlier.some((one) => one !== got)) flaky.push({ test, runs: [...earlier, got] });
    if (last.passed) continue;
    const failed = {
      test,
      expected: last.expected,
      got,
      ...(earlier.length > 0 && { reruns: earlier.length }),
    };
    return { passed: test, tests: runs.length, failed, ...(flaky.length > 0 && { flaky }) };
  }
  return { passed: runs.length, tests: runs.length, ...(flaky.length > 0 && { flaky }) };
}

function prefixed(program: string, { import_prefix }: Extract<TaskTests, { kind: 'functional' }>): string {
  return import_prefix === undefined ? program : `${import_prefix}\n${program}`;
}

/** On a busy machine a good program may pass its limit: what a limit or a signal ended is run again. */
async function untilSettled(run: () => Promise<TestResult>, reruns: number): Promise<TestedOnce> {
  const earlier: string[] = [];
  for (;;) {
    const last = await run();
    if (last.passed || !last.isDoubtful || earlier.length === reruns) return { last, earlier };
    earlier.push(last.got);
  }
}
