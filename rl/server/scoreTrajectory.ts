import { canonicalJson } from '../../base/ids.ts';
import type { OwnModule } from '../../base/programs/ownModule.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { answerText, lastBoxed } from '../../schemas/coa/answers.ts';
import { foldToolInput } from '../../schemas/coa/bodies.ts';
import { type BodyRule, type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { JudgeConfig } from '../../schemas/config/judge.ts';
import { isOfPlayer } from '../../schemas/failureCauses.ts';
import type { Task } from '../../schemas/task.ts';
import type { AnswerFinding } from '../../stages/judge/answerFinding.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import { createGoldJudge } from '../../stages/judge/createGoldJudge.ts';
import { findingAbout, type JudgeSettings } from '../../stages/judge/judgeAnswer.ts';
import { type RewardExpression, rewardOf } from '../records/rewardExpression.ts';
import type { RlFault, RlScoreAnswer, RlScoreRequest } from '../records/score.ts';
import { type RewardPart, type RlRewardsConfig, rewardParts } from '../rewardsConfig.ts';
import type { OpenedReward } from './customReward.ts';
import type { PlayedTask } from './nextStep.ts';
import { hasInvented, keepsGrammar, type PlayedRlStep, playedSteps } from './playedSteps.ts';

type MeasuredParts = Readonly<Record<Exclude<RewardPart, 'correctness'>, number>>;

/** Measures all parts except `correctness`; see `rewardParts`. */
export function measuredParts(
  profile: Profile,
  { segments, response_tokens, max_response_tokens }: Omit<RlScoreRequest, 'task_id' | 'end_reason'>,
  steps: readonly PlayedRlStep[],
  maxSteps: number,
): MeasuredParts {
  const format = keepsGrammar(profile, segments, steps) ? 1 : 0;
  return {
    format,
    broken_format: 1 - format,
    overlong: overlong(response_tokens, max_response_tokens),
    repetition: repetition(steps.map(({ text }) => text).join('\n')),
    repeats: repeats(profile, steps) ? 1 : 0,
    code_format: callsOf(profile, steps).every(keepsCodeForm) ? 1 : 0,
    calls: Math.min(1, differentCalls(profile, steps) / maxSteps),
  };
}

/** DAPO's soft overlong punishment (arXiv 2503.14476, equation 13), as in AFM's code: the last eighth. */
function overlong(tokens: number, most: number): number {
  const free = (most * 7) / 8;
  return Math.min(1, Math.max(0, (tokens - free) / (most - free)));
}

/** Words of a compared sequence; a power of two. */
const RUN_WORDS = 16;

/** Numbers sequences by their halves, without building texts of 16 words: equal sequences have equal numbers. */
function repetition(text: string): number {
  const words = text.split(/\s+/).filter((word) => word !== '');
  let runs = numbered(words);
  for (let length = 1; length < RUN_WORDS && runs.length > length; length *= 2) {
    const [firsts, halves] = [runs.slice(0, -length), runs];
    runs = numbered(firsts.map((first, at) => first * words.length + halves[at + length]!));
  }
  return words.length < RUN_WORDS ? 0 : 1 - new Set(runs).size / runs.length;
}

/** Number of each key, from 0, by first occurrence. */
function numbered(keys: readonly (string | number)[]): number[] {
  const numbers = new Map<string | number, number>();
  return keys.map((key) => {
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  });
}

/** Compares the content of blocks of any kind except answers. */
function repeats(profile: Profile, steps: readonly PlayedRlStep[]): boolean {
  const bodies = steps
    .flatMap(({ blocks }) => blocks)
    .filter(({ tag }) => !['answer', 'suggested_answer'].includes(tagRule(profile, tag)!.kind))
    .flatMap(({ body }) => body.trim() || []);
  return new Set(bodies).size < bodies.length;
}

interface Call {
  readonly tag: string;
  readonly rule: BodyRule;
  readonly body: string;
}

function callsOf(profile: Profile, steps: readonly PlayedRlStep[]): Call[] {
  return steps.flatMap(({ end }) =>
    end?.kind === 'tool' ? [{ tag: end.tag, rule: tagRule(profile, end.tag)!.body, body: end.body }] : [],
  );
}

function keepsCodeForm({ rule, body }: Call): boolean {
  return rule !== 'code' || isFencedProgram(body);
}

/**
 * True if a body has exactly one `py` fence followed only by at most one `sh` fence, as AFM's reward requires for code
 * (verl/utils/reward_score/format_reward.py, `check_code_tag_content`). Text before the fence is allowed.
 */
function isFencedProgram(body: string): boolean {
  const after = behindOnlyFence(body, 'py');
  if (after === undefined || after.trim() === '') return after !== undefined;
  return behindOnlyFence(after, 'sh')?.trim() === '';
}

/** Text after the only fence of a kind; undefined for none, several, or an unclosed one. */
function behindOnlyFence(text: string, kind: 'py' | 'sh'): string | undefined {
  const [, body, ...others] = text.split(`\`\`\`${kind}\n`);
  const end = body?.indexOf('```\n') ?? -1;
  return end < 0 || others.length > 0 ? undefined : body!.slice(end + 4);
}

function differentCalls(profile: Profile, steps: readonly PlayedRlStep[]): number {
  const calls = callsOf(profile, steps).map(({ tag, rule, body }) =>
    canonicalJson([tag, foldToolInput(rule, body)]),
  );
  return new Set(calls).size;
}

export interface ScoreParts extends Pick<JudgeSettings, 'sandbox' | 'testStore'> {
  readonly judge: JudgeConfig;
  readonly judgeModel: JudgeModel | undefined;
  /** Module of `judge.module`; undefined without one. */
  readonly ownJudge?: OwnModule | undefined;
  readonly reward: RewardExpression;
  /** Source of `correctness` in a verdict. */
  readonly correctness: RlRewardsConfig['correctness'];
  readonly custom: ReadonlyMap<string, OpenedReward>;
  readonly maxSteps: number;
}

interface Correctness {
  /** Null if no verdict was possible. */
  readonly value: number | null;
  readonly judge: string | null;
  readonly fault: RlFault | null;
}

/** Scores a finished trajectory. It is unscored, never 0, if it can't be judged or a part is unknown. */
export async function scoreTrajectory(
  request: RlScoreRequest,
  { task, profile }: PlayedTask,
  parts: ScoreParts,
  signal: AbortSignal,
): Promise<RlScoreAnswer> {
  const steps = playedSteps(profile, request.segments);
  const answer = finalAnswer(steps, request, task);
  const { value, judge, fault } = await correctness({ answer, steps, task }, parts, signal);
  const measured = measuredParts(profile, request, steps, parts.maxSteps);
  const own = { correctness: value, ...measured };
  const custom = await customParts({ request, task, answer, own }, parts, signal);
  const all = { ...inOrder(own), ...custom.scores };
  const unscored = fault ?? custom.fault;
  return {
    score: unscored ? null : rewardOf(parts.reward, all),
    parts: all,
    answer,
    judge,
    events: steps.flatMap(({ events }) => events),
    unscored,
  };
}

function inOrder(own: Readonly<Record<RewardPart, number | null>>): Record<string, number | null> {
  return Object.fromEntries(rewardParts.map((name) => [name, own[name]]));
}

/** Answer of the last step; null if it does not end with an answer, or the loop ended it for another reason. */
function finalAnswer(
  steps: readonly PlayedRlStep[],
  { segments, end_reason }: RlScoreRequest,
  { domain }: Task,
): string | null {
  const end = steps.at(-1)?.end;
  if (end?.kind !== 'answer' || end_reason !== 'answer' || segments.at(-1)?.origin !== 'model') return null;
  return hasSeveral(domain, end.body) ? null : judgedAnswer(domain, end.body);
}

/** Answer in a block. Ignores empty parts of several answers, as in AFM's reward (`mhqa_train.py`, `em_check`). */
export function judgedAnswer(domain: Task['domain'], body: string): string {
  const parts = body.split('|').filter((part) => part !== '');
  return answerText(domain, domain === 'qa' ? parts.join('|') : body);
}

/** Several results in one mathematics answer count as none, since one of them might be right. */
function hasSeveral(domain: Task['domain'], body: string): boolean {
  if (domain !== 'math') return false;
  const results = body
    .split(/\\boxed\s*\{/)
    .slice(1)
    .map((rest) => lastBoxed(`\\boxed{${rest}`)?.trim());
  return new Set(results).size > 1;
}

const wrong = (judge: string | null): Correctness => ({ value: 0, judge, fault: null });

/** Maximum characters of an answer other than a program; a longer one is wrong without judging. */
const MAX_ANSWER_CHARS = 20_000;

async function correctness(
  {
    answer,
    steps,
    task,
  }: { readonly answer: string | null; readonly steps: readonly PlayedRlStep[]; readonly task: Task },
  { judge, judgeModel, ownJudge, sandbox, testStore, correctness: counted }: ScoreParts,
  signal: AbortSignal,
): Promise<Correctness> {
  if (answer === null || answer === '' || hasInvented(steps)) return wrong(null);
  if (task.domain !== 'code' && answer.length > MAX_ANSWER_CHARS) return wrong(null);
  const work = { task_id: task.id };
  const goldJudge = createGoldJudge(task, { config: judge, model: judgeModel, own: ownJudge, work, signal });
  try {
    const finding = await findingAbout(answer, task, {
      config: judge,
      sandbox,
      testStore,
      goldJudge,
      signal,
    });
    return { value: countedBy(finding, counted), judge: finding.judge, fault: null };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof RecordFailure)) throw error;
    const { cause, message, retryable } = error.failure;
    if (isOfPlayer(cause)) return wrong(null);
    return { value: null, judge: null, fault: { cause, message, retryable } };
  }
}

function countedBy({ correct, score }: AnswerFinding, by: RlRewardsConfig['correctness']): number {
  return by === 'score' ? score : correct ? 1 : 0;
}

interface ToldTrajectory {
  readonly request: RlScoreRequest;
  readonly task: Task;
  readonly answer: string | null;
  readonly own: Readonly<Record<string, number | null>>;
}

async function customParts(
  { request, task, answer, own }: ToldTrajectory,
  { custom }: ScoreParts,
  signal: AbortSignal,
): Promise<{ readonly scores: Record<string, number | null>; readonly fault: RlFault | null }> {
  const { id, question, answers, domain, profile } = task;
  const told = { ...request, task: { id, question, answers, domain, profile }, answer, parts: own };
  const scores: Record<string, number | null> = {};
  let fault: RlFault | null = null;
  for (const [name, ask] of custom) {
    scores[name] = await ask(told, signal).catch((error: Error) => {
      signal.throwIfAborted();
      fault = { cause: 'reward', message: error.message, retryable: true };
      return null;
    });
  }
  return { scores, fault };
}
