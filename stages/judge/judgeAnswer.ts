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
import type { PythonCheck } from './program/programText.ts';
import { type ProgramSettings, runCheck, runStdinCase, type TestResult } from './program/runTest.ts';

export interface JudgeSettings {
  readonly config: JudgeConfig;
  /** Where programs are tested; undefined where the run has no sandbox. */
  readonly sandbox: Sandbox | undefined;
  /** Reads tests that are too long for records. */
  readonly testStore: Pick<TestStore, 'get'> | undefined;
  /** Judges answers that are not programs. */
  readonly goldJudge: GoldJudge;
  readonly signal: AbortSignal;
}

/** Judges the final answer by the rules of its domain. Throws `RecordFailure` (`unscored`) when none applies. */
export async function judgeAnswer(trajectory: Trajectory, settings: JudgeSettings): Promise<Verdict> {
  const answer = finalAnswer(trajectory);
  if (answer === undefined) throw undecided('the trajectory does not end with <answer>');
  return verdictOf('answer', await findingAbout(answer, trajectory, settings));
}

/** What is found about an answer to a task. Throws as {@link judgeAnswer}. */
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

/** Times that a test is run again after a time-out or an end by a signal. */
const TEST_RERUNS = 1;

async function programFinding(
  program: string,
  { tests }: Pick<Trajectory, 'tests'>,
  { config, sandbox, testStore, signal }: JudgeSettings,
): Promise<AnswerFinding> {
  if (!tests) throw undecided('the task has no tests to run');
  if (!sandbox) throw new RecordFailure('sandbox_unavailable', 'the run has no sandbox for the tests');
  const finding = await judgeProgram(program, await inlineTests(tests, testStore), {
    sandbox,
    timeoutMs: config.test_timeout_s * 1000,
    reruns: TEST_RERUNS,
    outputTolerance: config.output_tolerance,
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
      : tests.checks.map((check) => () => runCheck(program, pythonCheck(check, tests), settings));
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

function pythonCheck(check: string, tests: Extract<TaskTests, { kind: 'functional' }>): PythonCheck {
  return { prefix: tests.import_prefix ?? '', check, functionName: tests.func_name };
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
