import { z } from 'zod';
import { memberOf } from '../../schemas/config/resolved/mixture.ts';
import { mostRollouts, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { type TeacherConfig, teacherConfigSchema } from '../../schemas/config/teacher.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import { isJudgedCorrect, qualitySchema } from '../../schemas/trajectory.ts';
import { readRunFile } from './openRun.ts';
import { stageRecords } from './stageInputs.ts';
import { readLedger } from './stageJournals.ts';

/** What of a judged trajectory says how its rollout ended. */
const judgedSchema = z.object({
  task_id: z.string(),
  question: z.string(),
  rollout: z.int().optional(),
  repairs: z.int().optional(),
  quality: qualitySchema.pick({ verdicts: true }),
});

/**
 * The rates that a run's dataset says: of runs that roll each task out once there are none to say, and nothing is read.
 *
 * @throws UserError when records are damaged
 */
export async function datasetRates(runFolder: string): Promise<readonly PassRateLine[]> {
  const run = await readRunFile(runFolder);
  const teacher = teacherConfigSchema.safeParse(run?.config.teacher).data;
  const isSingle = teacher !== undefined && mostRollouts(rolloutPlan(teacher)) === 1;
  return isSingle && run?.imported === undefined ? [] : readTaskRates(runFolder);
}

/** What is counted of rollouts together. */
interface Tries {
  passed: number;
  samples: number;
  unscored: number;
}
interface TaskRates extends Tries {
  task_id: string;
  question?: string;
  by_member?: Record<string, Tries>;
  second_tries?: Tries;
  first_right?: number;
}

type Rolled = Pick<LedgerEntry, 'task_id' | 'rollout' | 'repairs'>;
type Mixture = TeacherConfig['mixture'];

/** The counts of tasks by their ids, in the order in which they came. */
class RatesByTask extends Map<string, TaskRates> {
  readonly #mixture: Mixture;

  constructor(mixture: Mixture) {
    super();
    this.#mixture = mixture;
  }

  of(task_id: string): TaskRates {
    const task = this.get(task_id) ?? { task_id, ...noTries() };
    this.set(task_id, task);
    return task;
  }

  /** Counts a rollout: to its task and to the member of the mixture that made it, a second try apart from both. */
  add(rolled: Rolled, tries: Tries): void {
    const task = this.of(rolled.task_id);
    if (rolled.repairs !== undefined) {
      task.second_tries ??= noTries();
      addTries(task.second_tries, tries);
      return;
    }
    addTries(task, tries);
    if (this.#mixture) addTries(memberTries(task, memberOf(this.#mixture, rolled).name), tries);
  }

  /** Counts what another count of the same tasks holds. */
  merge({ task_id, by_member = {}, second_tries, ...tries }: TaskRates): void {
    const task = this.of(task_id);
    addTries(task, tries);
    for (const [name, of] of Object.entries(by_member)) addTries(memberTries(task, name), of);
    if (second_tries) this.add({ task_id, repairs: 0 }, second_tries);
  }
}

function noTries(): Tries {
  return { passed: 0, samples: 0, unscored: 0 };
}

function memberTries(task: TaskRates, name: string): Tries {
  task.by_member ??= {};
  task.by_member[name] ??= noTries();
  return task.by_member[name];
}

function addTries(to: Tries, { passed, samples, unscored }: Tries): void {
  to.passed += passed;
  to.samples += samples;
  to.unscored += unscored;
}

/**
 * How often a run's rollouts solved each task, as far as they were judged. A rollout that failed, could not be converted
 * or had no verdict on its answer is unscored, never wrong; second tries are counted apart. Tasks come in the order of
 * their first judged rollout, then those without any by their ids; an entry a task is held.
 *
 * @throws UserError when records are damaged
 */
export async function readTaskRates(runFolder: string): Promise<readonly PassRateLine[]> {
  const run = await readRunFile(runFolder);
  const teacher = teacherConfigSchema.safeParse(run?.config.teacher).data;
  const mixture = teacher?.mixture;
  const tasks = new RatesByTask(mixture);
  const endsWhenRight = teacher !== undefined && rolloutPlan(teacher).correct !== undefined;
  for await (const { record } of stageRecords(runFolder, 'judge', judgedSchema)) {
    const isScored = record.quality.verdicts.some(({ subject }) => subject === 'answer');
    const passed = Number(isJudgedCorrect(record));
    tasks.add(record, { passed, samples: Number(isScored), unscored: Number(!isScored) });
    const task = tasks.of(record.task_id);
    if (endsWhenRight && passed > 0 && record.repairs === undefined) task.first_right ??= task.samples;
    if (record.question !== '') task.question = record.question;
  }
  const unjudged = new RatesByTask(mixture);
  for (const stage of ['rollout', 'convert', 'judge'] as const) {
    for await (const entry of readLedger(runFolder, stage)) {
      // These stages drop nothing: what an import drops at its first one is no rollout.
      if (entry.kind === 'fail') unjudged.add(entry, { ...noTries(), unscored: 1 });
    }
  }
  for (const id of [...unjudged.keys()].sort()) tasks.merge(unjudged.of(id));
  return [...tasks.values()];
}
