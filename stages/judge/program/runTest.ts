import { sha256Hex } from '../../../base/ids.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../../contract/sandbox.ts';
import { cutText, undecided } from '../answerFinding.ts';
import {
  callingProgram,
  checkInput,
  checkingProgram,
  checkStatus,
  markedLines,
  type PythonCheck,
} from './pythonPrograms.ts';
import { sameOutput } from './sameOutput.ts';

export interface ProgramSettings {
  readonly sandbox: Sandbox;
  /** Wall-clock limit of one test. */
  readonly timeoutMs: number;
  /** Relative or absolute tolerance for decimal numbers that a program prints or returns. */
  readonly outputTolerance: number;
  readonly signal: AbortSignal;
}

/** Failure of a test. */
export interface FailedTest {
  readonly expected: string;
  /** Actual result in words. */
  readonly got: string;
  /** True if the machine may be at fault: a limit or a signal ended the program. */
  readonly isDoubtful: boolean;
}

/** Result of a test; undefined if it passed. */
export type TestResult = FailedTest | undefined;

/**
 * Runs a program on an input and compares its output. Throws `RecordFailure` (`unscored`) if the expected output
 * exceeds the sandbox's limit.
 */
export async function runStdinCase(
  program: string,
  { stdin, expected_output }: { readonly stdin: string; readonly expected_output: string },
  settings: ProgramSettings,
): Promise<TestResult> {
  const result = await runOnce(program, stdin, settings);
  if (result.kind === 'output_limit' && isRightSoFar(result, expected_output)) {
    throw undecided('the expected output of a test is longer than a sandbox reads');
  }
  const short = stoppedShort(result, expected_output, settings);
  if (short || sameOutput(result.stdout, expected_output, settings.outputTolerance)) return short;
  return wrong(expected_output, result.stdout);
}

/**
 * True if truncated output matches so far; its last character may be incomplete. If the other stream is longer, that
 * one was truncated, and the program is at fault.
 */
function isRightSoFar({ stdout, stderr }: SandboxResult, expected: string): boolean {
  const isCut = Buffer.byteLength(stdout) > Buffer.byteLength(stderr) && expected.length > stdout.length;
  return isCut && expected.startsWith(stdout.slice(0, -1));
}

/** Maximum rounds of a check: each may ask for calls that depend on earlier answers. */
const MAX_ROUNDS = 10;

/**
 * CPU time for comparing a result: parsing the longest one takes half. More is deliberate. CPU time, since a busy
 * machine is slower by the clock.
 */
const CHECK_CPU_SECONDS = 2;
const CHECK_TIMEOUT_MS = 60_000;

/**
 * Runs a check of a program that defines a function. The check runs in one process and the calls that it asks for in
 * another, without access to the expected results (docs/judging-rules.md, "Why a check runs in another process").
 * @throws RecordFailure `unscored` where no program could pass or fail the check, which then is the task's fault
 */
export async function runCheck(
  program: string,
  task: PythonCheck,
  settings: ProgramSettings,
): Promise<TestResult> {
  const checking = checkingProgram(task, settings.outputTolerance);
  let calls = await callsOf(checking, settings);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const called = await runOnce(callingProgram(program, task, calls), '', settings);
    const short = stoppedShort(called, task.check, settings);
    if (short) return short;
    const answers = markedLines(called.stdout).slice(0, calls.length);
    if (answers.length < calls.length) return wrong(task.check, 'the program ended before the check');
    const limits = { cpuSeconds: CHECK_CPU_SECONDS, ...CALLS_LIMITS };
    const checked = await runOnce(checking, checkInput(calls, answers), patient(settings), limits);
    if (checked.exitCode !== checkStatus.asks) return judgedBy(checked, task.check, settings);
    calls = markedLines(checked.stdout);
  }
  return wrong(task.check, `the check asks for further calls after ${MAX_ROUNDS} rounds`);
}

function patient(settings: ProgramSettings): ProgramSettings {
  return { ...settings, timeoutMs: Math.max(settings.timeoutMs, CHECK_TIMEOUT_MS) };
}

function judgedBy(checked: SandboxResult, check: string, settings: ProgramSettings): TestResult {
  const short = stoppedShort(checked, check, settings);
  return short && checked.kind === 'timed_out'
    ? { ...short, got: 'a result that takes too long to compare', isDoubtful: false }
    : short;
}

/** Calls come from the task itself and may be long. */
const CALLS_LIMITS = { outputBytes: 64 << 20 };

/** Calls that a check asks for before any answer; the same for all programs. */
async function callsOf(checking: string, settings: ProgramSettings): Promise<readonly string[]> {
  const known = knownCalls.get(settings.sandbox) ?? new Map<string, readonly string[]>();
  knownCalls.set(settings.sandbox, known);
  const key = sha256Hex(checking);
  const calls = known.get(key) ?? (await askForCalls(checking, settings));
  known.delete(key);
  if (calls.join().length <= MAX_KEPT_CHARS) known.set(key, calls);
  if (known.size > MAX_KEPT) known.delete(known.keys().next().value!);
  return calls;
}

/** LRU cache of planned calls per sandbox. Rollouts of a task ask for the same ones. */
const knownCalls = new WeakMap<Sandbox, Map<string, readonly string[]>>();
const MAX_KEPT = 1_000;
const MAX_KEPT_CHARS = 10_000;

async function askForCalls(checking: string, settings: ProgramSettings): Promise<readonly string[]> {
  const planned = await runOnce(checking, checkInput([], []), patient(settings), CALLS_LIMITS);
  if (planned.exitCode === checkStatus.asks) return markedLines(planned.stdout);
  if (planned.exitCode === 0) return [];
  const why = planned.kind === 'exited' ? lastLineOf(planned) : planned.kind;
  throw undecided(`a test can't be judged apart from the program: ${cutText(why)}`);
}

function runOnce(
  code: string,
  stdin: string,
  { sandbox, timeoutMs, signal }: ProgramSettings,
  limits?: SandboxProgram['limits'],
): Promise<SandboxResult> {
  const program = { code, stdin, timeoutMs, isBackground: true };
  return sandbox.run({ ...program, ...(limits && { limits }) }, signal);
}

function wrong(expected: string, got: string, isDoubtful = false): FailedTest {
  return { expected: cutText(expected), got: cutText(got), isDoubtful };
}

/** A crash this close to the time limit may be caused by it: deadlocked threads, a clock that was read. */
const nearTheLimit = 0.9;

/** Result of a program that did not end normally; undefined otherwise. */
function stoppedShort(result: SandboxResult, expected: string, { timeoutMs }: ProgramSettings): TestResult {
  const { kind, exitCode, durationMs } = result;
  if (kind === 'timed_out') return wrong(expected, 'no end within the time limit', true);
  if (kind === 'output_limit') return wrong(expected, 'too much output');
  if (kind === 'memory_limit') return wrong(expected, 'more memory than the limit', true);
  if (exitCode === 0) return undefined;
  const lastLine = lastLineOf(result);
  const bySignal = exitCode !== null && exitCode > 128;
  const got = `exit status ${exitCode}${lastLine === '' ? '' : `: ${lastLine}`}`;
  return wrong(expected, got, bySignal || durationMs >= nearTheLimit * timeoutMs);
}

function lastLineOf({ stderr }: SandboxResult): string {
  return stderr.trimEnd().split('\n').at(-1) ?? '';
}
