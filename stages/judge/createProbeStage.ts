import type { OwnModule } from '../../base/programs/ownModule.ts';
import { shareEstimate } from '../../base/statistics/estimates.ts';
import type { TaskWork } from '../../contract/calls.ts';
import { samplingOfRollout } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { dropRecord, emitRecord, type RecordStage, type StageOutcome } from '../../contract/stage.ts';
import { answerText, lastBoxed } from '../../schemas/coa/answers.ts';
import type { ProbeConfig } from '../../schemas/config/probe.ts';
import { type Domain, type Task, type TaskProbe, taskSchema } from '../../schemas/task.ts';
import { resultOfCause } from '../../schemas/tryResult.ts';
import { undecided } from './answerFinding.ts';
import type { JudgeModel } from './castVotes.ts';
import { createGoldJudge } from './createGoldJudge.ts';
import { findingAbout, type JudgeSettings } from './judgeAnswer.ts';

/** Model whose tries measure a task's difficulty. */
export type ProbedModel = Pick<JudgeModel, 'chat' | 'sampling'>;

interface ProbeOptions extends Pick<JudgeSettings, 'config' | 'sandbox' | 'testStore'> {
  readonly probe: ProbeConfig;
  /** User module of `config.module`. */
  readonly own?: OwnModule | undefined;
  /** Opens the model of `probe.model`; undefined if no model is asked. */
  readonly openModel: (() => Promise<ProbedModel>) | undefined;
  /** Opens the judge's model; undefined if the judge uses none. */
  readonly openJudgeModel: (() => Promise<JudgeModel>) | undefined;
  /** Pass rate of a task in `probe.pass_rate.from`. */
  readonly knownOf: (task: Task) => Promise<TaskProbe | undefined>;
  readonly concurrency: number;
  /** As in `RecordStage`. */
  readonly finish: () => Promise<void>;
}

const answersSystem: Readonly<Record<Domain, string>> = {
  qa: 'Answer the question. Think as long as you need. End with the answer alone, as short as it can be, between <answer> and </answer>.',
  math: 'Solve the problem. Think as long as you need. End with the result alone, in \\boxed{}, between <answer> and </answer>.',
  code: 'Solve the problem by a Python program. Think as long as you need. End with the whole program, as one ```python block, between <answer> and </answer>.',
};

/**
 * Lets a model without tools try each task several times, and keeps tasks with a solve rate in range. A try without
 * an answer, truncated or refused, is wrong; an undecided one is excluded from the rate. A failing endpoint fails the
 * task; its answers stay cached.
 */
export function createProbeStage(options: ProbeOptions): RecordStage<Task, Task> {
  const { probe, openModel, openJudgeModel, knownOf, concurrency, finish } = options;
  return {
    name: 'probe',
    version: 2,
    input: taskSchema,
    output: taskSchema,
    concurrency,
    finish,
    async prepare() {
      await openModel?.();
      await openJudgeModel?.();
    },
    async run(task, { signal, attempt }) {
      const work = { task_id: task.id, ...(attempt !== undefined && { attempt }) };
      const found = (await knownOf(task)) ?? (openModel && (await tryTask(task, options, work, signal)));
      if (found) return outOfRange(found, probe) ?? emitRecord({ ...task, probe: found });
      return emitRecord(task);
    },
  };
}

/** Drop of a task whose pass rate is out of range; undefined otherwise. */
export function outOfRange(
  found: TaskProbe,
  { pass_rate: { min: least = 0, max: most = 1 } }: Pick<ProbeConfig, 'pass_rate'>,
): StageOutcome<never> | undefined {
  const { value: pass_rate, low, high } = shareEstimate(found.passed, found.samples)!;
  const evidence = { ...found, pass_rate, low, high };
  if (pass_rate > most) return dropRecord('too_easy', { ...evidence, max_pass_rate: most });
  if (pass_rate < least) return dropRecord('too_hard', { ...evidence, min_pass_rate: least });
  return undefined;
}

type TryEnd = 'right' | 'wrong' | 'no_answer' | 'unscored';

/** @throws RecordFailure where the endpoint or the judge could not be asked, and `unscored` where no try was decided */
async function tryTask(
  task: Task,
  { probe, own, openModel, openJudgeModel, config, sandbox, testStore }: ProbeOptions,
  work: TaskWork,
  signal: AbortSignal,
): Promise<TaskProbe> {
  const model = await openModel!();
  const judgeModel = config.model && (await openJudgeModel?.());
  const goldJudge = createGoldJudge(task, { config, model: judgeModel, own, work, signal });
  const judging = { config, sandbox, testStore, goldJudge, signal };
  const tryOnce = async (rollout: number): Promise<TryEnd> => {
    try {
      const answer = await ask(task, model, { ...work, rollout }, signal);
      if (answer === undefined) return 'no_answer';
      return (await findingAbout(answer, task, judging)).correct ? 'right' : 'wrong';
    } catch (error) {
      return endOfFailure(error);
    }
  };
  const ends = await allOf(Array.from({ length: probe.tries }, (_, rollout) => tryOnce(rollout)));
  const count = (end: TryEnd) => ends.filter((one) => one === end).length;
  const unscored = count('unscored');
  if (unscored === ends.length) throw undecided(`the judge could decide none of ${ends.length} tries`);
  return {
    passed: count('right'),
    samples: ends.length - unscored,
    unscored,
    ...(count('no_answer') > 0 && { without_answer: count('no_answer') }),
  };
}

/** Waits for all promises, so that nothing keeps running after an error. */
async function allOf<T>(tries: readonly Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(tries);
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  // A stopping run leaves the task pending, whatever else failed.
  const worst = errors.find((error) => !(error instanceof RecordFailure)) ?? errors[0];
  if (worst !== undefined) throw worst;
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
}

/** Rethrows failures unrelated to the try: an unreachable endpoint, the judge's included. */
function endOfFailure(error: unknown): TryEnd {
  if (!(error instanceof RecordFailure)) throw error;
  const { cause, cut_short } = error.failure;
  if (resultOfCause(cause) === 'wrong') return 'no_answer';
  if (cause === 'unscored' && !cut_short) return 'unscored';
  throw error;
}

/** Answer of one try; undefined without one. */
async function ask(
  { question, domain }: Task,
  { chat, sampling }: ProbedModel,
  work: TaskWork,
  signal: AbortSignal,
): Promise<string | undefined> {
  const request = {
    messages: [
      { role: 'system' as const, content: answersSystem[domain] },
      { role: 'user' as const, content: question },
    ],
    sampling: samplingOfRollout(sampling, work),
  };
  const { content } = await chat.chat(request, signal, { work, role: 'probe' });
  return statedAnswer(domain, content ?? '');
}

/** Content of the last `<answer>`; boxed maths and fenced programs are found without it, too. */
function statedAnswer(domain: Domain, text: string): string | undefined {
  const start = text.lastIndexOf('<answer>');
  const rest = start < 0 ? undefined : text.slice(start + '<answer>'.length);
  if (rest !== undefined) return answerText(domain, rest.split('</answer>', 1)[0]!) || undefined;
  const isStated =
    domain === 'math' ? lastBoxed(text) !== undefined : domain === 'code' && text.includes('```');
  return isStated ? answerText(domain, text) || undefined : undefined;
}
