import { describe, expect, test } from 'vitest';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { judgeConfigSchema } from '../../schemas/config/judge.ts';
import type { Task } from '../../schemas/task.ts';
import { type Trajectory, trajectoryId } from '../../schemas/trajectory.ts';
import { createJudgeStage } from '../../stages/judge/createJudgeStage.ts';
import { emittedBy, runRecordStage } from '../support/runStage.ts';
import { mhqaSteps, type TraceStep, taskOf, trajectoryFrom } from '../support/traceFixture.ts';

const config = judgeConfigSchema.parse({});
const stageWith = (given: { readonly sandbox?: Sandbox }) =>
  createJudgeStage({ config, profileOf: builtinProfile, concurrency: 2, ...given });
const judge = (trajectory: Trajectory) => runRecordStage(stageWith({}), trajectory);

const programSteps = (answer: string): TraceStep[] => [
  { role: 'planner', action: 'plan', answer: { plan: 'p' } },
  { role: 'answerer', action: 'answer', answer: { think: 't', answer } },
];
const solved = (profile: string, answer: string, given: Partial<Task>) =>
  trajectoryFrom(taskOf(profile, given), profile === 'mhqa' ? mhqaSteps([], answer) : programSteps(answer));

const verdictOf = async (trajectory: Trajectory, given: { readonly sandbox?: Sandbox } = {}) =>
  (await emittedBy(stageWith(given), trajectory)).quality.verdicts;

test('an answer in words', async () => {
  expect(await verdictOf(solved('mhqa', 'The Beatles', { answers: ['Stones', 'beatles'] }))).toEqual([
    {
      subject: 'answer',
      judge: 'exact_match',
      judgement: 'correct',
      score: 1,
      evidence: { compared: [{ prediction: 'The Beatles', closest: 'beatles', method: 'exact' }] },
    },
  ]);
  expect(await verdictOf(solved('mhqa', 'Queen', { answers: ['beatles'] }))).toMatchObject([
    { judgement: 'incorrect', score: 0 },
  ]);
});

test('an answer in LaTeX', async () => {
  expect(await verdictOf(solved('math', '\\dfrac{28}{6}', { answers: ['\\frac{14}{3}'] }))).toEqual([
    {
      subject: 'answer',
      judge: 'number',
      judgement: 'correct',
      score: 1,
      evidence: { prediction: '\\dfrac{28}{6}', gold: '\\frac{14}{3}', method: 'value' },
    },
  ]);
  expect(await verdictOf(solved('math', '5', { answers: ['6', '7'] }))).toMatchObject([
    { judgement: 'incorrect', score: 0 },
  ]);
});

describe('a program', () => {
  const tests = {
    kind: 'stdin' as const,
    cases: [
      { stdin: '1', expected_output: '1' },
      { stdin: '2', expected_output: '2' },
    ],
  };
  const sandbox: Sandbox = {
    name: 'bubblewrap',
    isolates: true,
    run: async ({ code, stdin }) => {
      const stdout = code === 'echo' ? stdin : '1';
      return { kind: 'exited', exitCode: 0, stdout, stderr: '', durationMs: 1 };
    },
    close: async () => {},
  };

  test('that passes, and one that passes half', async () => {
    expect(await verdictOf(solved('code', '```py\necho\n```', { answers: [], tests }), { sandbox })).toEqual([
      {
        subject: 'answer',
        judge: 'tests',
        judgement: 'correct',
        score: 1,
        evidence: { tests: 2, passed: 2 },
      },
    ]);
    expect(await verdictOf(solved('code', 'one', { answers: [], tests }), { sandbox })).toEqual([
      {
        subject: 'answer',
        judge: 'tests',
        judgement: 'incorrect',
        score: 0.5,
        evidence: { tests: 2, passed: 1, test: 1, expected: '2', got: '1' },
      },
    ]);
  });

  test('without a sandbox is no label', async () => {
    await expect(judge(solved('code', 'one', { answers: [], tests }))).rejects.toMatchObject({
      failure: { cause: 'sandbox_unavailable', message: expect.stringContaining('tools.code') },
    });
  });
});

describe('what can not be judged is unscored, never incorrect', () => {
  test('no gold answer, no tests, no final answer', async () => {
    const whole = solved('mhqa', 'she', {});
    const cut = { ...whole, segments: whole.segments.slice(0, -1) };
    for (const trajectory of [
      solved('mhqa', 'she', { answers: [] }),
      solved('code', 'p', { answers: [] }),
      cut,
    ]) {
      const thrown = await judge(trajectory).catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(RecordFailure);
      expect((thrown as RecordFailure).failure).toMatchObject({ cause: 'unscored', retryable: false });
    }
  });
});

test('judging adds to earlier verdicts and leaves the id alone', async () => {
  const trajectory = solved('mhqa', 'she', {});
  const [first] = await verdictOf(trajectory);
  const judged = { ...trajectory, quality: { ...trajectory.quality, verdicts: [first!] } };
  expect(await verdictOf(judged)).toHaveLength(2);
  expect(trajectoryId(judged)).toBe(trajectory.id);
});
