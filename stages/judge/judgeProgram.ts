import type { Sandbox, SandboxResult } from '../../pipeline/contract/sandbox.ts';
import type { JsonObject } from '../../schemas/json.ts';
import type { TaskTests } from '../../schemas/task.ts';
import { cutText } from './cutText.ts';
import { sameOutput } from './programOutput.ts';
import { withCheck } from './programText.ts';

/** How a program fared in its tests; those after the first failing one are not run. */
export interface ProgramFinding {
  readonly passed: number;
  readonly tests: number;
  /** The first failing test, from 0, with what was expected and what came; undefined when all passed. */
  readonly failed?: JsonObject;
}

/** Where and how tests are run. */
export interface ProgramSettings {
  readonly sandbox: Sandbox;
  /** Wall-clock limit of one test. */
  readonly timeoutMs: number;
  /** Relative difference of equal decimal numbers in the output. */
  readonly numberTolerance: number;
  readonly signal: AbortSignal;
}

/** What is wrong with a test's result; undefined when it passed. */
type RunTest = () => Promise<JsonObject | undefined>;

/** Runs a program's tests in the sandbox. Throws `RecordFailure` (`sandbox_unavailable`) when they can't be run. */
export async function judgeProgram(
  program: string,
  tests: TaskTests,
  settings: ProgramSettings,
): Promise<ProgramFinding> {
  const runs =
    tests.kind === 'stdin' ? stdinRuns(program, tests, settings) : checkRuns(program, tests, settings);
  for (const [index, run] of runs.entries()) {
    const wrong = await run();
    if (wrong) return { passed: index, tests: runs.length, failed: { test: index, ...wrong } };
  }
  return { passed: runs.length, tests: runs.length };
}

function stdinRuns(
  program: string,
  { cases }: Extract<TaskTests, { kind: 'stdin' }>,
  settings: ProgramSettings,
): RunTest[] {
  return cases.map(({ stdin, expected_output }) => async () => {
    const result = await runOnce(program, stdin, settings);
    const expected = cutText(expected_output);
    const stopped = stoppedShort(result);
    if (stopped) return { expected, got: stopped };
    const same = sameOutput(result.stdout, expected_output, settings.numberTolerance);
    return same ? undefined : { expected, got: cutText(result.stdout) };
  });
}

function checkRuns(
  program: string,
  { checks }: Extract<TaskTests, { kind: 'functional' }>,
  settings: ProgramSettings,
): RunTest[] {
  return checks.map((check) => async () => {
    const { code, passedLine } = withCheck(program, check);
    const result = await runOnce(code, '', settings);
    const expected = cutText(check);
    const stopped = stoppedShort(result);
    if (stopped) return { expected, got: stopped };
    const reached = result.stdout.split('\n').includes(passedLine);
    return reached ? undefined : { expected, got: 'the program ended before the check' };
  });
}

function runOnce(code: string, stdin: string, settings: ProgramSettings): Promise<SandboxResult> {
  return settings.sandbox.run({ code, stdin, timeoutMs: settings.timeoutMs }, settings.signal);
}

/** Why a program did not end by itself and well, in words; undefined when it did. */
function stoppedShort({ kind, exitCode, stderr }: SandboxResult): string | undefined {
  if (kind === 'timed_out') return 'no end within the time limit';
  if (kind === 'output_limit') return 'too much output';
  if (exitCode === 0) return undefined;
  const lastLine = stderr.trimEnd().split('\n').at(-1) ?? '';
  return cutText(`exit status ${exitCode}${lastLine === '' ? '' : `: ${lastLine}`}`);
}
