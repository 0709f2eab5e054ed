import { join } from 'node:path';
import { z } from 'zod';
import { AtomicFile } from '../../base/files/atomicFile.ts';
import { type StageName, stagesBefore } from '../../contract/stageTable.ts';
import { memberOf } from '../../schemas/config/resolved/mixture.ts';
import { mostRollouts, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { type TeacherConfig, teacherConfigSchema } from '../../schemas/config/teacher.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { type TaskProbe, taskProbeSchema } from '../../schemas/task.ts';
import { qualitySchema } from '../../schemas/trajectory.ts';
import {
  addTry,
  noTries,
  passRateOf,
  resultOfCause,
  resultOfJudged,
  type TryCounts,
  type TryResult,
} from '../../schemas/tryResult.ts';
import { readRunFile, stagesOfRun } from './runFile.ts';
import { stagePaths } from './stageFiles.ts';
import { stageRecords } from './stageInputs.ts';
import { readLedger } from './stageJournals.ts';

/** Fields of a judged trajectory that tell how its rollout ended. */
const judgedSchema = z.object({
  task_id: z.string(),
  question: z.string(),
  rollout: z.int().optional(),
  repairs: z.int().optional(),
  quality: qualitySchema.pick({ verdicts: true }),
});

/**
 * Pass rates for a run's dataset; empty for runs with one rollout per task, without reading records.
 *
 * @throws UserError if records are damaged
 */
export async function datasetRates(runFolder: string): Promise<readonly PassRateLine[]> {
  const run = await readRunFile(runFolder);
  const teacher = teacherConfigSchema.safeParse(run?.config.teacher).data;
  const isSingle = teacher !== undefined && mostRollouts(rolloutPlan(teacher)) === 1;
  return isSingle && run?.imported === undefined ? [] : readTaskRates(runFolder);
}

interface TaskRates extends TryCounts {
  task_id: string;
  question?: string;
  first_right?: number;
  by_member?: Record<string, TryCounts>;
  second_tries?: TryCounts;
}

type Rolled = Pick<LedgerEntry, 'task_id' | 'rollout' | 'repairs'>;

/**
 * Pass rate of each task as defined in `tryResult.ts`; second tries are counted apart. Ordered by the first judged
 * rollout, then tasks without any by id. Memory: an entry per task.
 *
 * @throws UserError if records are damaged
 */
export async function readTaskRates(runFolder: string): Promise<readonly PassRateLine[]> {
  const run = await readRunFile(runFolder);
  const teacher = teacherConfigSchema.safeParse(run?.config.teacher).data;
  const tasks = new Map<string, TaskRates>();
  const scored = new Map<string, { readonly rollout: number; readonly isRight: boolean }[]>();
  const count = (rolled: Rolled, result: TryResult, isAnswered: boolean): TaskRates => {
    const { task_id, rollout = 0, repairs } = rolled;
    const task = tasks.get(task_id) ?? { task_id, ...noTries() };
    tasks.set(task_id, task);
    for (const counts of countsOf(task, rolled, teacher)) addTry(counts, result, isAnswered);
    if (repairs !== undefined || result === 'unscored') return task;
    const own = scored.get(task_id) ?? [];
    scored.set(task_id, own);
    own.push({ rollout, isRight: result === 'right' });
    return task;
  };
  for await (const { record } of stageRecords(runFolder, 'judge', judgedSchema)) {
    const task = count(record, resultOfJudged(record), true);
    if (record.question !== '') task.question = record.question;
  }
  for (const { result, ...rolled } of await readFailures(runFolder)) count(rolled, result, false);
  if (teacher !== undefined && rolloutPlan(teacher).correct !== undefined) {
    for (const [id, rollouts] of scored) {
      const right = rollouts.toSorted((a, b) => a.rollout - b.rollout).findIndex(({ isRight }) => isRight);
      if (right >= 0) tasks.get(id)!.first_right = right + 1;
    }
  }
  return [...tasks.values()];
}

/** Counters of a rollout: those of its task and of the mixture member that made it; second tries have their own. */
function countsOf(task: TaskRates, rolled: Rolled, teacher: TeacherConfig | undefined): TryCounts[] {
  if (rolled.repairs !== undefined) {
    task.second_tries ??= noTries();
    return [task.second_tries];
  }
  if (!teacher?.mixture) return [task];
  const { name } = memberOf(teacher.mixture, rolled);
  task.by_member ??= {};
  task.by_member[name] ??= noTries();
  return [task, task.by_member[name]];
}

/** Pass rate by task id, for tasks that have one. Throws `UserError` if records are damaged. */
export async function passRatesByTask(runFolder: string): Promise<ReadonlyMap<string, number>> {
  const tasks = await readTaskRates(runFolder);
  return new Map(
    tasks.flatMap((task) => {
      const rate = passRateOf(task);
      return rate === undefined ? [] : [[task.task_id!, rate]];
    }),
  );
}

/** Rollouts without a verdict, sorted by task and number. */
async function readFailures(runFolder: string): Promise<(Rolled & { readonly result: TryResult })[]> {
  const failures: (Rolled & { readonly result: TryResult })[] = [];
  for (const stage of ['rollout', 'convert', 'judge'] as const) {
    for await (const entry of readLedger(runFolder, stage)) {
      // These stages drop nothing, except for imported rows, which are no rollouts.
      if (entry.kind === 'drop') continue;
      const { task_id, rollout, repairs, failure } = entry;
      failures.push({ task_id, rollout, repairs, result: resultOfCause(failure.cause) });
    }
  }
  const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));
  return failures.sort((a, b) => byText(a.task_id, b.task_id) || (a.rollout ?? 0) - (b.rollout ?? 0));
}

/** File with a run's probe results, in the format of `pass_rate.from`. */
export function probeRatesFile(runFolder: string): string {
  return join(stagePaths(runFolder, 'probe').folder, 'pass_rates.jsonl');
}

const askedSchema = z.object({ id: z.string(), question: z.string() });
const probedSchema = z.object({ id: z.string(), probe: taskProbeSchema.optional() });

/**
 * Writes {@link probeRatesFile}: a line per task with a rate, including dropped ones, in task order. Memory: three
 * numbers per task.
 *
 * @throws UserError if records are damaged
 */
export async function writeProbeRates(runFolder: string): Promise<void> {
  const found = new Map<string, TaskProbe>();
  for await (const { record } of stageRecords(runFolder, 'probe', probedSchema))
    if (record.probe) found.set(record.id, record.probe);
  for await (const entry of readLedger(runFolder, 'probe')) {
    const probe = entry.kind === 'drop' ? taskProbeSchema.safeParse(entry.evidence).data : undefined;
    if (probe) found.set(entry.task_id, probe);
  }
  const file = await AtomicFile.create(probeRatesFile(runFolder));
  for await (const { record } of stageRecords(runFolder, await stageBeforeProbe(runFolder), askedSchema)) {
    const probe = found.get(record.id);
    if (!probe) continue;
    const line: PassRateLine = {
      task_id: record.id,
      question: record.question,
      ...{ passed: probe.passed, samples: probe.samples, unscored: probe.unscored },
      without_answer: probe.without_answer ?? 0,
    };
    await file.write(`${JSON.stringify(line)}\n`);
  }
  await file.commit();
}

async function stageBeforeProbe(runFolder: string): Promise<StageName> {
  const stages = stagesOfRun(await readRunFile(runFolder));
  return stagesBefore('probe').findLast((name) => stages.includes(name)) ?? stagesBefore('probe')[0]!;
}
