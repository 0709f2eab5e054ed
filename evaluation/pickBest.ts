import { mkdir } from 'node:fs/promises';
import { onDisk } from '../base/files/diskError.ts';
import { lockFolder } from '../base/files/lockFolder.ts';
import { Resources } from '../base/resources.ts';
import { capsOf } from '../calls/budget/capsOf.ts';
import { type Amount, SpendingLog } from '../calls/budget/spendingLog.ts';
import { SpendingMeter } from '../calls/budget/spendingMeter.ts';
import { SessionCalls } from '../calls/sessionCalls.ts';
import { RecordFailure } from '../contract/errors.ts';
import { openCache } from '../pipeline/compose/openCache.ts';
import { openJudgeModel } from '../pipeline/compose/openSectionModels.ts';
import type { LoadedConfig } from '../pipeline/config/loadConfig.ts';
import { toolsOf } from '../pipeline/config/toolsConfig.ts';
import { createSession } from '../pipeline/createSession.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { StopSwitch } from '../pipeline/run/stopSwitch.ts';
import type { ExecuteRunOptions } from '../pipeline/workSession.ts';
import { foldedText } from '../schemas/normalForm.ts';
import { trajectorySchema } from '../schemas/trajectory.ts';
import type { JudgeModel } from '../stages/judge/castVotes.ts';
import { endOfWork, pickAttempt, type ShownAttempt } from '../stages/judge/pickAttempt.ts';
import { addedUse } from './behaviour.ts';
import type { RoleUse } from './records/evaluationFile.ts';
import type { TaskResult } from './records/sampleResult.ts';

interface Candidate {
  readonly sample: number;
  readonly answer: string;
}

interface Picked {
  /** With `picked`, if a pick was made. */
  readonly tasks: readonly TaskResult[];
  readonly use: RoleUse | undefined;
}

/** Model, cache and budget of the picking. */
interface PickOptions
  extends Pick<ExecuteRunOptions, 'env' | 'clock' | 'log' | 'drain' | 'signal' | 'offline' | 'observer'> {
  readonly loaded: LoadedConfig;
  readonly runFolder: string;
  /** Folder of cache and spending log. */
  readonly folder: string;
  readonly spentElsewhere: Amount;
}

/**
 * Lets `judge.model` pick one sample per task without seeing the reference answer (best of n). Equal answers need no
 * call. Answers are cached. A task has no pick if the model names none.
 *
 * @throws UserError without a key; the `RunHalted` with which it was stopped
 */
export async function pickBest(tasks: readonly TaskResult[], options: PickOptions): Promise<Picked> {
  const { folder, loaded, env, clock, log, observer, signal, offline = false } = options;
  await onDisk(folder, () => mkdir(folder, { recursive: true }));
  const unlock = await lockFolder(folder);
  const outputs = new Resources();
  const stop = new StopSwitch({ drain: options.drain ?? signal, signal });
  const calls = new SessionCalls(stop.drain, log);
  const session = createSession({ env, clock, offline, calls, log });
  try {
    const spendingLog = outputs.keep(await SpendingLog.open(folder, clock));
    const meter = new SpendingMeter({
      log: spendingLog,
      caps: capsOf(loaded.config, toolsOf(loaded)),
      drain: stop.drain,
      onSpent: (reason) => stop.stop(reason),
      spentElsewhere: options.spentElsewhere,
    });
    calls.connect(meter, [observer]);
    const model = openJudgeModel(loaded.config, await openCache(loaded.config, folder, session), session);
    return await picksOf(tasks, model, options);
  } finally {
    await session.resources.closeAll();
    await outputs.closeAll();
    await unlock();
  }
}

async function picksOf(
  tasks: readonly TaskResult[],
  model: JudgeModel,
  { runFolder, signal }: PickOptions,
): Promise<Picked> {
  const open = new Map(tasks.map((task) => [task, candidatesOf(task)]));
  const asked = [...open].filter(([, candidates]) => candidates.length > 1).map(([task]) => task);
  const work = await readWork(runFolder, asked);
  let use: RoleUse | undefined;
  const pickOf = async (task: TaskResult): Promise<TaskResult> => {
    const candidates = open.get(task)!;
    if (candidates.length < 2) return { ...task, picked: candidates[0]?.sample ?? null };
    const shown = candidates.map(({ sample, answer }) => ({
      answer,
      work: work.get(`${task.task_id} ${sample}`) ?? '',
    }));
    const picked = await ask(task, shown, model, signal);
    if (picked) use = addedUse(use, 1, picked.said.usage, picked.said.cost_usd);
    const sample = picked?.best === undefined ? undefined : candidates[picked.best]?.sample;
    return sample === undefined ? task : { ...task, picked: sample };
  };
  return { tasks: await Promise.all(tasks.map(pickOf)), use };
}

/** First sample of each distinct answer; empty for a task with an unscored sample, which could change the pick. */
function candidatesOf({ samples }: TaskResult): Candidate[] {
  const byAnswer = new Map<string, Candidate>();
  for (const { sample, answer } of samples) {
    if (answer === null) continue;
    const key = foldedText(answer);
    if (!byAnswer.has(key)) byAnswer.set(key, { sample, answer });
  }
  return [...byAnswer.values()];
}

/** Ends of trajectories by task and sample. */
async function readWork(runFolder: string, tasks: readonly TaskResult[]): Promise<Map<string, string>> {
  const wanted = new Set(tasks.map(({ task_id }) => task_id));
  const work = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'judge', trajectorySchema))
    if (wanted.has(record.task_id)) work.set(`${record.task_id} ${record.rollout ?? 0}`, endOfWork(record));
  return work;
}

/** Response of the model; undefined on failure. */
async function ask(
  { task_id, question }: TaskResult,
  attempts: readonly ShownAttempt[],
  model: JudgeModel,
  signal: AbortSignal,
) {
  try {
    return await pickAttempt(question, attempts, model, { work: { task_id }, signal });
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    return undefined;
  }
}
