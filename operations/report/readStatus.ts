import { isFolderHeld } from '../../base/files/lockFolder.ts';
import { sum } from '../../base/sum.ts';
import { stagesOfRun } from '../../pipeline/run/runFile.ts';
import { readRunSpending } from '../../pipeline/run/runSpending.ts';
import { readTargetFile } from '../../pipeline/run/wholeFiles.ts';
import { readWorkersFile } from '../../pipeline/workers/workersFile.ts';
import { dependsOnJudge, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import type { RunFile, RunSpending } from '../../schemas/run/runFile.ts';
import type { TargetFile } from '../../schemas/run/targetFile.ts';
import { type WorkersView, workersView } from '../../schemas/run/workersView.ts';
import { type FunnelStage, readFunnel } from './funnel.ts';
import { type Yield, yieldOfFunnel } from './yieldOfFunnel.ts';

/** How far a run is. */
export interface RunStatus {
  readonly run: string;
  readonly folder: string;
  readonly config_hash: string;
  readonly complete: boolean;
  /** True while a process works on it. */
  readonly running: boolean;
  readonly spent: RunSpending;
  readonly funnel: readonly FunnelStage[];
  /** The windows of a run with a target; absent for any other. */
  readonly target?: TargetFile;
  /** Absent for a run that never had workers. */
  readonly workers?: WorkersView;
  /** Absent once the run is complete, and before a record went through all stages that look at one at a time. */
  readonly yield?: Yield;
}

/**
 * Reads how far a run is from its folder, also while another process works on it.
 *
 * @param known as {@link readFunnel} takes them
 */
export async function readStatus(
  folder: string,
  run: RunFile,
  known?: Parameters<typeof readFunnel>[1],
): Promise<RunStatus> {
  const running = await isFolderHeld(folder);
  const funnel = await readFunnel(folder, known);
  const spent = await readRunSpending(folder);
  const complete = funnel.at(-1)?.stage === stagesOfRun(run).at(-1) && funnel.every((row) => row.complete);
  const target = await readTargetFile(folder);
  const workers = await readWorkersFile(folder);
  const soFar = complete ? undefined : yieldOfFunnel(expectedFunnel(funnel, run), spent.cost_usd);
  return {
    run: run.name,
    folder,
    config_hash: run.config_hash,
    complete,
    running,
    spent,
    funnel,
    ...(target && { target }),
    ...(workers && { workers: workersView(workers) }),
    ...(soFar && { yield: soFar }),
  };
}

/** Where a run is, in a few words; of one that is complete also how many records failed, and so were lost. */
export function stateOf({ complete, funnel }: Pick<RunStatus, 'complete' | 'funnel'>): string {
  const failed = sum(funnel.flatMap((row) => Object.values(row.failed)));
  if (complete) return failed === 0 ? 'complete' : `complete, ${failed} failed`;
  const under = funnel.find((row) => !row.complete)?.stage;
  return under ? `in ${under}` : `done up to ${funnel.at(-1)?.stage ?? 'nothing'}`;
}

/** The funnel without the number of rollouts where it depends on how they end, until that is known. */
function expectedFunnel(funnel: readonly FunnelStage[], { config }: RunFile) {
  const teacher = teacherConfigSchema.safeParse(config.teacher).data;
  if (teacher === undefined || !dependsOnJudge(rolloutPlan(teacher))) return funnel;
  return funnel.map((row) => (row.stage === 'rollout' && !row.complete ? { ...row, entered: null } : row));
}
