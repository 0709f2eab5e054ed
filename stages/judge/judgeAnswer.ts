import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { Sandbox } from '../../pipeline/contract/sandbox.ts';
import { answerText } from '../../schemas/coa/answers.ts';
import type { JudgeConfig } from '../../schemas/config/filters.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';
import { cutText } from './cutText.ts';
import { judgeMath } from './judgeMath.ts';
import { judgeProgram } from './judgeProgram.ts';
import { judgeText } from './judgeText.ts';

/** What judging needs besides the trajectory. */
export interface JudgeSettings {
  readonly config: JudgeConfig;
  /** Where programs are tested; undefined where the run has no sandbox. */
  readonly sandbox: Sandbox | undefined;
  readonly signal: AbortSignal;
}

/** Judges the final answer by the rules of its domain. Throws `RecordFailure` (`unscored`) when none applies. */
export async function judgeAnswer(trajectory: Trajectory, settings: JudgeSettings): Promise<Verdict> {
  const answer = finalAnswer(trajectory);
  if (trajectory.domain === 'code') return programVerdict(answer, trajectory, settings);
  if (trajectory.answers.length === 0) throw unscored('the task has no gold answer to compare with');
  return trajectory.domain === 'math'
    ? mathVerdict(answer, trajectory.answers, settings.config)
    : textVerdict(answer, trajectory.answers, settings.config);
}

function finalAnswer({ segments, domain }: Trajectory): string {
  const last = segments.at(-1);
  const body = last && /^<answer>(.*)<\/answer>$/s.exec(last.text)?.[1];
  if (body === undefined) throw unscored('the trajectory does not end with <answer>');
  return answerText(domain, body);
}

function textVerdict(answer: string, golds: readonly string[], config: JudgeConfig): Verdict {
  const settings = { minF1: config.min_f1, numberTolerance: config.number_tolerance };
  const { correct, score, matches } = judgeText(answer, golds, settings);
  const compared = matches.map(({ prediction, gold, method }) => ({
    prediction: cutText(prediction),
    closest: cutText(gold),
    method,
  }));
  return verdictOf('exact_match', correct, score, { compared });
}

function mathVerdict(answer: string, golds: readonly string[], config: JudgeConfig): Verdict {
  const findings = golds.map((gold) => ({ gold, ...judgeMath(answer, gold, config.number_tolerance) }));
  const { gold, correct, method } = findings.find((finding) => finding.correct) ?? findings[0]!;
  const evidence = { prediction: cutText(answer), gold: cutText(gold), method };
  return verdictOf('number', correct, correct ? 1 : 0, evidence);
}

async function programVerdict(
  program: string,
  { tests }: Trajectory,
  { config, sandbox, signal }: JudgeSettings,
): Promise<Verdict> {
  if (!tests) throw unscored('the task has no tests to run');
  if (!sandbox) throw new RecordFailure('sandbox_unavailable', 'the run has no sandbox for the tests');
  const finding = await judgeProgram(program, tests, {
    sandbox,
    timeoutMs: config.test_timeout_s * 1000,
    numberTolerance: config.number_tolerance,
    signal,
  });
  const correct = finding.failed === undefined;
  const score = finding.passed / finding.tests;
  return verdictOf('tests', correct, score, {
    tests: finding.tests,
    passed: finding.passed,
    ...finding.failed,
  });
}

function verdictOf(judge: string, correct: boolean, score: number, evidence: Verdict['evidence']): Verdict {
  return { subject: 'answer', judge, judgement: correct ? 'correct' : 'incorrect', score, evidence };
}

function unscored(why: string): RecordFailure {
  return new RecordFailure('unscored', why);
}
