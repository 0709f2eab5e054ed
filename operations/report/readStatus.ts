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
import { type FailingServer, readFailingServers } from './failingServers.ts';
import { type FunnelStage, readFunnel } from './funnel.ts';
import { type Yield, yieldOfFunnel } from './yieldOfFunnel.ts';

export interface RunStatus {
  readonly run: string;
  readonly folder: string;
  readonly config_hash: string;
  readonly complete: boolean;
  readonly running: boolean;
  readonly spent: RunSpending;
  readonly funnel: readonly FunnelStage[];
  /** Windows of a run with a target. */
  readonly target?: TargetFile;
  /** Absent without workers. */
  readonly workers?: WorkersView;
  /** Servers that only failed in the last calls; absent if none did, and for a complete run. */
  readonly failing_servers?: readonly FailingServer[];
  /** Absent for a complete run, and before a record passed all record stages. */
  readonly yield?: Yield;
}

/**
 * Reads the progress of a run from its folder, even while another process writes.
 *
 * @param known as in {@link readFunnel}
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
  const failing = complete ? [] : await readFailingServers(folder);
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
    ...(failing.length > 0 && { failing_servers: failing }),
    ...(soFar && { yield: soFar }),
  };
}

/** State of a run in words; includes failed records of a complete run. */
export function stateOf({ complete, funnel }: Pick<RunStatus, 'complete' | 'funnel'>): string {
  const failed = sum(funnel.flatMap((row) => Object.values(row.failed)));
  if (complete) return failed === 0 ? 'complete' : `complete, ${failed} failed`;
  const under = funnel.find((row) => !row.complete)?.stage;
  return under ? `in ${under}` : `done up to ${funnel.at(-1)?.stage ?? 'nothing'}`;
}

/** Funnel without a number of rollouts that is still unknown. */
function expectedFunnel(funnel: readonly FunnelStage[], { config }: RunFile) {
  const teacher = teacherConfigSchema.safeParse(config.teacher).data;
  if (teacher === undefined || !dependsOnJudge(rolloutPlan(teacher))) return funnel;
  return funnel.map((row) => (row.stage === 'rollout' && !row.complete ? { ...row, entered: null } : row));
}
