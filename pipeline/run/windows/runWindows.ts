import { isDeepStrictEqual } from 'node:util';
import { totalOf } from '../../../base/sum.ts';
import { type StageName, stagesAfter } from '../../../contract/stageTable.ts';
import { mostRollouts } from '../../../schemas/config/rollouts.ts';
import { heldCounts, type TargetConfig, wantedCounts } from '../../../schemas/config/target.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { TargetFile } from '../../../schemas/run/targetFile.ts';
import { refuseDeadEndpoint } from '../failedThroughout.ts';
import { markGrowing } from '../markStale.ts';
import { readStageState } from '../readStageStates.ts';
import { runStages } from '../runStages.ts';
import { readLedger, readRecordLines } from '../stageJournals.ts';
import type { RunStage } from '../stageState.ts';
import type { RunStagesOptions } from '../stageWork.ts';
import { readManifest, readTargetFile, removeTargetFile, writeTargetFile } from '../wholeFiles.ts';
import { countOf, type TaskCounts, TaskOrder } from './taskOrder.ts';
import { firstWindow, nextWindow, type WindowYield } from './windowSize.ts';

interface RunWindowsOptions extends RunStagesOptions {
  readonly target: TargetConfig | undefined;
}

/**
 * Stage that runs on a window first, the stage that provides its tasks, and the stages that query models about tasks.
 */
interface WindowedStages {
  readonly before: RunStage;
  readonly first: RunStage;
  readonly asked: readonly RunStage[];
}

/**
 * Runs the pending stages as {@link runStages} does. With a target, all stages from the first that calls a model run on
 * a window of tasks in order; further windows are added until the dataset is large enough or no task is left. The size
 * of a window depends only on the yield of earlier ones, not on speed or crashes. Surplus rows are cut off at the end
 * in input order.
 *
 * @returns number of stages worked on
 */
export async function runWindows(options: RunWindowsOptions): Promise<number> {
  const { runFolder, target, until } = options;
  const stages = windowedStages(options.stages);
  if (!stages) return runStages(options);
  if (!target) {
    await leaveWindows(runFolder, stages.first.stage);
    return runStages(options);
  }
  const { stage } = stages.before;
  if (until !== undefined && !stagesAfter(stage).includes(until)) return runStages(options);
  const worked = await runStages({ ...options, until: stage });
  const order = await TaskOrder.read(runFolder, stage);
  return worked + (await runWindowed({ ...options, target }, stages, order));
}

/** Undefined for runs without work on tasks, such as variants and imports. */
function windowedStages(stages: readonly RunStage[]): WindowedStages | undefined {
  const at = stages.findIndex(({ opened }) => opened?.kind === 'record');
  const [before, first] = [stages[at - 1], stages[at]];
  const last = stages.findIndex(({ stage, opened }) => stage === 'rollout' && opened?.kind === 'record');
  return last >= 0 && before && first ? { before, first, asked: stages.slice(at, last + 1) } : undefined;
}

/** Removes the windows when the configuration no longer has a target; finished work is kept as a prefix. */
async function leaveWindows(runFolder: string, first: StageName): Promise<void> {
  if ((await readTargetFile(runFolder)) === null) return;
  await markGrowing(runFolder, first);
  await removeTargetFile(runFolder);
}

async function runWindowed(
  options: RunWindowsOptions & { readonly target: TargetConfig },
  stages: WindowedStages,
  order: TaskOrder,
): Promise<number> {
  const { runFolder, until, observer } = options;
  const counts = wantedCounts(options.target);
  const stage = stages.first.stage;
  let file = await openWindows(options, stages, order);
  for (let worked = 0; ; ) {
    await writeTargetFile(runFolder, file);
    const { tasks } = file.windows.at(-1)!;
    worked += await runStages({ ...options, chosen: { stage, places: order.placesOf(tasks) } });
    if (until !== undefined && until !== 'export') return worked;
    const earlier = order.placesOf(file.windows.at(-2)?.tasks ?? {});
    for (const asked of stages.asked)
      await refuseDeadEndpoint(runFolder, { stage: asked.stage, earlier, inputsATask: inputsATask(asked) });
    const manifest = (await readManifest(runFolder))!;
    file = withHeld(file, heldCounts(counts, manifest));
    const next = nextTasks(file, manifest, order);
    observer.windowEnded?.(file, next && totalOf(next) - totalOf(tasks));
    if (!next) {
      await writeTargetFile(runFolder, file);
      return worked;
    }
    // Marked first, so that an interrupted run repeats the same decision.
    await markGrowing(runFolder, stage);
    file = { ...file, windows: [...file.windows, { tasks: next }] };
  }
}

/** Continues the windows of an earlier session, or opens the first one after tasks that were run without a target. */
async function openWindows(
  { runFolder, target }: RunWindowsOptions & { readonly target: TargetConfig },
  { before, first }: WindowedStages,
  order: TaskOrder,
): Promise<TargetFile> {
  const { unit, wanted } = wantedCounts(target);
  const tasksOf = order.all();
  const available = Object.fromEntries(Object.keys(wanted).map((key) => [key, countOf(tasksOf, key)]));
  const state = await readStageState(runFolder, first, { stage: before.stage, kind: 'done' });
  const isKept = state.kind === 'done' || state.kind === 'cut_off';
  const earlier = isKept ? await readTargetFile(runFolder) : null;
  if (earlier) {
    const isSame = isDeepStrictEqual([unit, wanted], [earlier.unit, earlier.wanted]);
    const windows = isSame ? earlier.windows : earlier.windows.map(({ tasks }) => ({ tasks }));
    return { ...earlier, unit, wanted, available, windows };
  }
  const begun = isKept ? await tasksBegun(runFolder, first) : 0;
  const tasks = begun > 0 ? order.first(begun) : firstTasks({ unit, wanted, available }, order);
  return { unit, wanted, available, windows: [{ tasks }] };
}

/** Number of tasks up to the last one that a stage has begun. */
async function tasksBegun(runFolder: string, first: RunStage): Promise<number> {
  const { stage } = first;
  let last = -1;
  for await (const { index } of readRecordLines(runFolder, stage)) last = Math.max(last, index);
  for await (const { index } of readLedger(runFolder, stage)) last = Math.max(last, index);
  return Math.floor(last / inputsATask(first)) + 1;
}

function inputsATask({ opened }: RunStage): number {
  const plan = opened?.kind === 'record' ? opened.stage.rollouts : undefined;
  return plan ? mostRollouts(plan) : 1;
}

function firstTasks({ unit, wanted, available }: Omit<TargetFile, 'windows'>, order: TaskOrder): TaskCounts {
  return Object.keys(wanted).reduce<TaskCounts>((tasks, key) => {
    const part = { available: available[key]!, wanted: wanted[key]! };
    return order.with(tasks, key, firstWindow(part, unit));
  }, {});
}

/** Tasks up to and including the next window; undefined if there is none. */
function nextTasks(file: TargetFile, manifest: Manifest, order: TaskOrder): TaskCounts | undefined {
  const { tasks } = file.windows.at(-1)!;
  const yields = Object.entries(yieldsOf(file, manifest));
  const next = yields.reduce((all, [key, of]) => order.with(all, key, nextWindow(of)), tasks);
  return totalOf(next) > totalOf(tasks) ? next : undefined;
}

function yieldsOf(
  { unit, wanted, available, windows }: TargetFile,
  { rows }: Pick<Manifest, 'rows'>,
): Record<string, WindowYield> {
  const { tasks, held = {} } = windows.at(-1)!;
  const yieldOf = (key: string): WindowYield => ({
    tasks: countOf(tasks, key),
    available: available[key]!,
    rows: unit === 'rows' ? held[key]! : rows,
    held: held[key]!,
    wanted: wanted[key]!,
  });
  return Object.fromEntries(Object.keys(wanted).map((key) => [key, yieldOf(key)]));
}

function withHeld(file: TargetFile, held: TaskCounts): TargetFile {
  const { tasks } = file.windows.at(-1)!;
  return { ...file, windows: [...file.windows.slice(0, -1), { tasks, held }] };
}
