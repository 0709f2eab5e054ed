import type { Sandbox, SandboxResult } from '../../../contract/sandbox.ts';
import { cutText, undecided } from '../answerFinding.ts';
import {
  type CallCheck,
  checkingProgram,
  checkStatus,
  returnedBy,
  splitCallCheck,
  withCall,
  withCheck,
} from './programText.ts';
import { sameOutput } from './sameOutput.ts';

export interface ProgramSettings {
  readonly sandbox: Sandbox;
  /** Wall-clock limit of one test. */
  readonly timeoutMs: number;
  /** Times that a test is run again after it was cut off by a limit or ended by a signal. */
  readonly reruns: number;
  /** Relative or absolute difference of equal decimal numbers in what a program prints and returns. */
  readonly outputTolerance: number;
  readonly signal: AbortSignal;
}

/** How one run of one test ended. */
export type TestResult =
  | { readonly passed: true }
  | {
      readonly passed: false;
      readonly expected: string;
      /** What came instead, in words. */
      readonly got: string;
      /** True when the machine may be to blame: a limit or a signal ended the program. */
      readonly isDoubtful: boolean;
    };

const passed: TestResult = { passed: true };

/**
 * Gives a program its input and compares what it prints. Throws `RecordFailure` (`unscored`) where the sandbox can't read
 * as much as is expected.
 */
export async function runStdinCase(
  program: string,
  { stdin, expected_output }: { readonly stdin: string; readonly expected_output: string },
  settings: ProgramSettings,
): Promise<TestResult> {
  const result = await runOnce(program, stdin, settings);
  if (result.kind === 'output_limit' && isRightSoFar(result.stdout, expected_output)) {
    throw undecided('the expected output of a test is longer than a sandbox reads');
  }
  const short = stoppedShort(result, expected_output, settings);
  if (short) return short;
  if (sameOutput(result.stdout, expected_output, settings.outputTolerance)) return passed;
  return wrong(expected_output, result.stdout);
}

/** Shorter outputs are cut for what stands on the other stream. */
const MIN_CUT_CHARS = 100_000;

/** True for output that was cut although it is as expected; its last character may be half of one. */
function isRightSoFar(printed: string, expected: string): boolean {
  return printed.length >= MIN_CUT_CHARS && expected.startsWith(printed.slice(0, -1));
}

/** Runs a check of a program that defines a function: the call in one process, what is expected of it in another. */
export async function runCheck(
  program: string,
  check: string,
  settings: ProgramSettings,
): Promise<TestResult> {
  const parts = splitCallCheck(check);
  return (parts && (await runCall(program, check, parts, settings))) ?? runInOne(program, check, settings);
}

/** Undefined when the assertion needs more than the result, and so can't be looked at apart. */
async function runCall(
  program: string,
  check: string,
  parts: CallCheck,
  settings: ProgramSettings,
): Promise<TestResult | undefined> {
  const { code, marker } = withCall(program, parts);
  const called = await runOnce(code, '', settings);
  const short = stoppedShort(called, check, settings);
  if (short) return short;
  const returned = returnedBy(called.stdout, marker);
  if (returned === undefined) return wrong(check, endedEarly);
  if (returned === '') throw undecided('what the program returned is longer than a sandbox reads');
  const checking = checkingProgram({ ...parts, tolerance: settings.outputTolerance });
  const checked = await runOnce(checking, returned, settings);
  if (checked.exitCode === checkStatus.missingName) return undefined;
  if (checked.exitCode === checkStatus.moreItems) throw undecided('the check asks for too many items');
  return stoppedShort(checked, check, settings) ?? passed;
}

const endedEarly = 'the program ended before the check';

async function runInOne(program: string, check: string, settings: ProgramSettings): Promise<TestResult> {
  const { code, passedLine } = withCheck(program, check, settings.outputTolerance);
  const result = await runOnce(code, '', settings);
  const short = stoppedShort(result, check, settings);
  if (short) return short;
  return result.stdout.split('\n').includes(passedLine) ? passed : wrong(check, endedEarly);
}

function runOnce(code: string, stdin: string, settings: ProgramSettings): Promise<SandboxResult> {
  const { sandbox, timeoutMs, signal } = settings;
  return sandbox.run({ code, stdin, timeoutMs, isBackground: true }, signal);
}

function wrong(expected: string, got: string, isDoubtful = false): TestResult {
  return { passed: false, expected: cutText(expected), got: cutText(got), isDoubtful };
}

/** A crash this close to the time limit may be one of it: threads that wait for each other, a clock that was read. */
const nearTheLimit = 0.9;

/** The result of a program that did not end by itself and well; undefined for one that did. */
function stoppedShort(
  { kind, exitCode, stderr, durationMs }: SandboxResult,
  expected: string,
  { timeoutMs }: ProgramSettings,
): TestResult | undefined {
  if (kind === 'timed_out') return wrong(expected, 'no end within the time limit', true);
  if (kind === 'output_limit') return wrong(expected, 'too much output');
  if (kind === 'memory_limit') return wrong(expected, 'more memory than the limit', true);
  if (exitCode === 0) return undefined;
  const lastLine = stderr.trimEnd().split('\n').at(-1) ?? '';
  const bySignal = exitCode !== null && exitCode > 128;
  const got = `exit status ${exitCode}${lastLine === '' ? '' : `: ${lastLine}`}`;
  return wrong(expected, got, bySignal || durationMs >= nearTheLimit * timeoutMs);
}
