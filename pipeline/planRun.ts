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

export interface PlannedTasks {
  readonly file: string;
  readonly profile: string;
  readonly tasks: number;
  /** Maximum number of rollouts; equals the tasks if each has one. */
  readonly rollouts: number;
}

export interface RunPlan {
  readonly teacher: TeacherBackendName;
  readonly model: string;
  readonly tasks: readonly PlannedTasks[];
  /** Unusable rows, which are skipped. */
  readonly bad_tasks: number;
  /** Unusable rows by cause: `code` of a bad task, or another reason of the stage `tasks`. */
  readonly bad_tasks_by_cause: Readonly<Record<string, number>>;
  /** Tasks judged by tests, by number of tests. */
  readonly tasks_by_tests: TasksByTests;
  readonly duplicate_questions: number;
  /** Questions found in a benchmark. */
  readonly contaminated: number;
  /** Answers that search cannot find; present only if a corpus of at most 8 MB is the only source. */
  readonly unknown_answers?: UnknownAnswers;
  /** Tasks excluded by earlier probe results; absent without results. */
  readonly probed_out?: number;
  /** First window of tasks of a run with a target, by the keys of `wanted`. */
  readonly target?: WantedCounts & { readonly first_window: Readonly<Record<string, number>> };
}

interface PlannedStages {
  readonly stages: readonly StageState[];
  readonly missing: readonly string[];
}

/**
 * State of a run's stages under a configuration and `--from`, with missing parts. Writes nothing and sends no requests.
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

/** Reads and counts the tasks; no model calls, no writes. */
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

/** Predicate for tasks kept by earlier probe results; undefined without results. */
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

/** Tasks that pass the task stages, with drops counted. Sends no requests and compares nothing by meaning. */
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

/** Records that a stage passes on. May be iterated again: each pass counts from 0. */
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
