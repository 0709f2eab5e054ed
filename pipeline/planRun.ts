import { tmpdir } from 'node:os';
import { byName, Counts } from '../base/counts.ts';
import { Resources } from '../base/resources.ts';
import { sum } from '../base/sum.ts';
import { type StageName, stageRow, stagesAfter } from '../contract/stageTable.ts';
import type { Config } from '../schemas/config/config.ts';
import { memberConfigs } from '../schemas/config/resolved/mixture.ts';
import { mostRollouts, rolloutPlan } from '../schemas/config/rollouts.ts';
import { ANY_PROFILE, type TargetConfig, type WantedCounts, wantedCounts } from '../schemas/config/target.ts';
import type { TeacherBackendName } from '../schemas/config/teacherBackends.ts';
import { type Task, testCount } from '../schemas/task.ts';
import { type TasksByTests, withTask } from '../schemas/tasksByTests.ts';
import { readPassRates } from '../stages/filter/passRates.ts';
import { outOfRange } from '../stages/judge/createProbeStage.ts';
import { withReviews } from '../stages/review/reviewFile.ts';
import { compose } from './compose.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { createSession } from './createSession.ts';
import { runFolderOf } from './executeRun.ts';
import { withImport } from './import/importedRun.ts';
import { openTestStore } from './run/openTestStore.ts';
import { type AskedStages, readStageStates } from './run/readStageStates.ts';
import { refuseWithoutJudge } from './run/rolloutOutcomes.ts';
import type { OpenedStage, StageState } from './run/stageState.ts';
import { firstWindow } from './run/windows/windowSize.ts';
import { missingParts, openStage, stagesOfConfig } from './stages/stageOpeners.ts';
import { CorpusTasks, type UnknownAnswers } from './unknownAnswers.ts';
import type { ExecuteRunOptions } from './workSession.ts';

/** The tasks of one file under one profile. */
export interface PlannedTasks {
  readonly file: string;
  readonly profile: string;
  readonly tasks: number;
  /** Most rollouts of the tasks; as many as tasks where each has one. */
  readonly rollouts: number;
}

/** The tasks of a run. */
export interface RunPlan {
  readonly teacher: TeacherBackendName;
  readonly model: string;
  readonly tasks: readonly PlannedTasks[];
  /** Rows that can't be used and would be skipped. */
  readonly bad_tasks: number;
  /** The same by what is wrong with them: `code` of a bad task, or another reason of the stage `tasks`. */
  readonly bad_tasks_by_cause: Readonly<Record<string, number>>;
  /** Tasks that would be judged by tests, by how many. */
  readonly tasks_by_tests: TasksByTests;
  readonly duplicate_questions: number;
  /** Questions that stand in a benchmark. */
  readonly contaminated: number;
  /** Answers that searches can't find; absent where no corpus of at most 8 MB is the only source. */
  readonly unknown_answers?: UnknownAnswers;
  /** Tasks that earlier results of the probe leave out; absent without results. */
  readonly probed_out?: number;
  /** The window of tasks that a run with a target begins with, by the keys of `wanted`; absent without one. */
  readonly target?: WantedCounts & { readonly first_window: Readonly<Record<string, number>> };
}

interface PlannedStages {
  /** Up to the last that is asked for. */
  readonly stages: readonly StageState[];
  /** What the pending ones lack, as {@link missingParts} says it. */
  readonly missing: readonly string[];
}

/**
 * Where the stages of a run stand under a configuration, with what `--from` asks for, and what is missing. Writes
 * nothing, and asks nobody.
 *
 * @throws UserError for a stage that the run does not have
 */
export async function plannedStages(
  options: Pick<ExecuteRunOptions, 'loaded' | 'name' | 'env' | 'offline'> & AskedStages,
): Promise<PlannedStages> {
  const { name, env, offline = false, until = 'export' } = options;
  refuseWithoutJudge(options.loaded.config, until);
  const runFolder = runFolderOf(options.loaded, name);
  const imported = await withImport(options.loaded, runFolder);
  const loaded = await withReviews(imported, runFolder, () => {});
  const composition = await compose(loaded, runFolder, createSession({ env: {}, offline: true }));
  const states = await readStageStates(runFolder, composition.stages, options);
  const stages = states.filter(({ stage }) => !stagesAfter(until).includes(stage));
  const work = stages.filter(({ kind }) => kind !== 'done').map(({ stage }) => stage);
  return { stages, missing: await missingParts(loaded, work, { env, offline }) };
}

/** Reads the tasks and counts them, without a model call and without writing anything. */
export async function planRun(loaded: LoadedConfig, signal: AbortSignal): Promise<RunPlan> {
  const { config } = loaded;
  const counts = new Map<string, { file: string; profile: string; tasks: number }>();
  let byTests: TasksByTests = {};
  const dropped: Dropped = new Map();
  const droppedBy = (stage: StageName) => sum(dropped.get(stage)?.values() ?? []);
  const isProbedOut = await probeResults(config);
  let probed_out = 0;
  const ofCorpus = new CorpusTasks(loaded);
  for await (const task of chosenTasks(loaded, dropped, signal)) {
    if (isProbedOut?.(task)) {
      probed_out++;
      continue;
    }
    ofCorpus.add(task);
    const { file } = task.source;
    const key = `${file}\n${task.profile}`;
    const row = counts.get(key) ?? { file, profile: task.profile, tasks: 0 };
    counts.set(key, { ...row, tasks: row.tasks + 1 });
    if (task.tests) byTests = withTask(byTests, testCount(task.tests));
  }
  const most = mostRollouts(rolloutPlan(config.teacher));
  const planned = [...counts.values()].map((row) => ({ ...row, rollouts: row.tasks * most }));
  const unknown_answers = await ofCorpus.unknown();
  const models = memberConfigs(config).map(({ teacher }) => teacher.model.model);
  return {
    teacher: config.teacher.backend,
    model: [...new Set(models)].join(', '),
    tasks: planned,
    bad_tasks: droppedBy('tasks'),
    bad_tasks_by_cause: byName(dropped.get('tasks') ?? []),
    tasks_by_tests: byTests,
    duplicate_questions: droppedBy('dedup'),
    contaminated: droppedBy('decontaminate'),
    ...(unknown_answers && { unknown_answers }),
    ...(isProbedOut && { probed_out }),
    ...(config.target && { target: plannedTarget(config.target, planned) }),
  };
}

/** Tells which tasks earlier results of the probe leave out; undefined without results. */
async function probeResults({ probe }: Config): Promise<((task: Task) => boolean) | undefined> {
  if (probe?.pass_rate.from === undefined) return undefined;
  const rates = await readPassRates(probe.pass_rate.from, 'probe.pass_rate.from');
  return ({ id, question }) => {
    const known = rates.countsOf({ task_id: id, question });
    return (
      known !== undefined && known.samples > 0 && outOfRange({ ...known, unscored: 0 }, probe) !== undefined
    );
  };
}

function plannedTarget(target: TargetConfig, planned: readonly PlannedTasks[]) {
  const counts = wantedCounts(target);
  const windowOf = ([key, wanted]: [string, number]) => {
    const own = planned.filter(({ profile }) => key === ANY_PROFILE || key === profile);
    const available = sum(own.map(({ tasks }) => tasks));
    return [key, firstWindow({ available, wanted }, counts.unit)];
  };
  return { ...counts, first_window: Object.fromEntries(Object.entries(counts.wanted).map(windowOf)) };
}

type Dropped = Map<StageName, Counts>;

/** The tasks that the stages of tasks let through, counting what each drops. Nobody is asked, nothing is compared by meaning. */
export function chosenTasks(
  loaded: LoadedConfig,
  dropped: Dropped,
  signal: AbortSignal,
): AsyncIterable<Task> {
  const parts = {
    loaded,
    runFolder: tmpdir(),
    testStore: openTestStore(tmpdir(), { writes: false }),
    spillFolder: () => tmpdir(),
    configHash: '',
    resources: new Resources(),
    log: () => {},
  };
  return stagesOfConfig(loaded)
    .filter((name) => stageRow(name).writes === 'task' && stageRow(name).kind !== 'record')
    .map((name) => openStage(name, parts))
    .reduce((tasks: AsyncIterable<Task>, opened) => kept(opened, tasks, dropped, signal), noTasks);
}

const noTasks: AsyncIterable<Task> = { async *[Symbol.asyncIterator]() {} };

/** What a stage lets through. It may be read more than once: each reading counts from 0. */
function kept(
  opened: OpenedStage,
  tasks: AsyncIterable<Task>,
  dropped: Dropped,
  signal: AbortSignal,
): AsyncIterable<Task> {
  const { name } = opened.stage;
  return {
    async *[Symbol.asyncIterator]() {
      if (opened.kind === 'record')
        throw new Error(`${name}: tasks are chosen by stages that see all of them`);
      const causes = new Counts();
      dropped.set(name, causes);
      const outcomes =
        opened.kind === 'source' ? opened.stage.run({ signal }) : opened.stage.run(tasks, { signal });
      for await (const { outcome } of outcomes) {
        if (outcome.kind === 'emit') yield* outcome.records as readonly Task[];
        else if (outcome.kind === 'drop') causes.add(String(outcome.evidence.code ?? outcome.reason));
      }
    },
  };
}
