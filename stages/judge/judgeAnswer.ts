import type { JsonObject } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { TestStore } from '../../contract/testStore.ts';
import { finalAnswer } from '../../schemas/coa/answers.ts';
import type { JudgeConfig } from '../../schemas/config/judge.ts';
import type { RecordTests, TaskTests } from '../../schemas/task.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';
import { type AnswerFinding, undecided, verdictOf } from './answerFinding.ts';
import type { GoldJudge } from './createGoldJudge.ts';
import type { PythonCheck } from './program/pythonPrograms.ts';
import { type ProgramSettings, runCheck, runStdinCase } from './program/runTest.ts';

export interface JudgeSettings {
  readonly config: JudgeConfig;
  /** Sandbox for tests; without one programs fail as `sandbox_unavailable`. */
  readonly sandbox: Sandbox | undefined;
  /** Store of long tests; without it programs with such tests fail as `unscored`. */
  readonly testStore: Pick<TestStore, 'get'> | undefined;
  /** Judges answers that are not programs. */
  readonly goldJudge: GoldJudge;
  readonly signal: AbortSignal;
}

/** Judges the final answer by the rules of its domain. Throws `RecordFailure` (`unscored`) if none applies. */
export async function judgeAnswer(trajectory: Trajectory, settings: JudgeSettings): Promise<Verdict> {
  const answer = finalAnswer(trajectory);
  if (answer === undefined) throw undecided('the trajectory does not end with <answer>');
  return verdictOf('answer', await findingAbout(answer, trajectory, settings));
}

/** Finding about an answer to a task. Throws as {@link judgeAnswer}. */
export async function findingAbout(
  answer: string,
  task: Pick<Trajectory, 'domain' | 'answers' | 'tests'>,
  settings: JudgeSettings,
): Promise<AnswerFinding> {
  if (settings.config.module !== undefined) return settings.goldJudge(answer);
  if (task.domain === 'code') return programFinding(answer, task, settings);
  if (task.answers.length === 0) throw undecided('the task has no gold answer to compare with');
  return settings.goldJudge(answer);
}

/** Maximum relative or absolute difference of equal numbers in a program's output. */
const OUTPUT_TOLERANCE = 1e-6;

async function programFinding(
  program: string,
  { tests }: Pick<Trajectory, 'tests'>,
  { config, sandbox, testStore, signal }: JudgeSettings,
): Promise<AnswerFinding> {
  if (!tests) throw undecided('the task has no tests to run');
  if (!sandbox)
    throw new RecordFailure(
      'sandbox_unavailable',
      'the configuration has no section tools.code, in which tests run: add one',
    );
  const finding = await judgeProgram(program, await inlineTests(tests, testStore), {
    sandbox,
    timeoutMs: config.test_timeout_s * 1000,
    outputTolerance: OUTPUT_TOLERANCE,
    signal,
  });
  const { tests: ran, passed, failed, flaky } = finding;
  const evidence = { tests: ran, passed, ...failed, ...(flaky && { flaky: [...flaky] }) };
  return { judge: 'tests', correct: failed === undefined, score: passed / ran, evidence };
}

async function inlineTests(tests: RecordTests, store: JudgeSettings['testStore']): Promise<TaskTests> {
  if (tests.kind !== 'stored') return tests;
  if (!store) throw undecided('the tests of the task lie in the run that read it');
  return store.get(tests);
}

/** Test results of a program; tests after the first failure are not run. */
export interface ProgramFinding {
  readonly passed: number;
  readonly tests: number;
  /** First failing test, from 0, with the expected and the actual result; undefined if all passed. */
  readonly failed?: JsonObject;
  /** Retried tests with a different result; absent without any. */
  readonly flaky?: readonly JsonObject[];
}

/**
 * Runs a program's tests in the sandbox; retries those ended by a limit or a signal, since a good program may exceed
 * its limit on a busy machine. Throws `RecordFailure` (`sandbox_unavailable`) if they cannot run.
 */
export async function judgeProgram(
  program: string,
  tests: TaskTests,
  settings: ProgramSettings,
): Promise<ProgramFinding> {
  const runs =
    tests.kind === 'stdin'
      ? tests.cases.map((one) => () => runStdinCase(program, one, settings))
      : tests.checks.map((check) => () => runCheck(program, pythonCheck(check, tests), settings));
  const flaky: JsonObject[] = [];
  for (const [test, run] of runs.entries()) {
    const first = await run();
    const isRunAgain = first?.isDoubtful === true;
    const last = isRunAgain ? await run() : first;
    const got = last?.got ?? 'passed';
    if (isRunAgain && first.got !== got) flaky.push({ test, runs: [first.got, got] });
    if (!last) continue;
    const failed = { test, expected: last.expected, got, ...(isRunAgain && { reruns: 1 }) };
    return { passed: test, tests: runs.length, failed, ...(flaky.length > 0 && { flaky }) };
  }
  return { passed: runs.length, tests: runs.length, ...(flaky.length > 0 && { flaky }) };
}

function pythonCheck(check: string, tests: Extract<TaskTests, { kind: 'functional' }>): PythonCheck {
  return { prefix: tests.import_prefix ?? '', check, functionName: tests.func_name };
}
