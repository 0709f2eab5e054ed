import { isFolderHeld } from '../base/files/lockFolder.ts';
import { printable } from '../base/printable.ts';
import { systemClock } from '../base/systemClock.ts';
import { readSpent } from '../calls/budget/spendingLog.ts';
import { type FunnelStage, readFunnel } from '../operations/report/funnel.ts';
import { type Yield, yieldOfFunnel } from '../operations/report/yieldOfFunnel.ts';
import { rolloutPlan } from '../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../schemas/config/teacher.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import { findRun } from './findRun.ts';
import { formatCount, formatUsd } from './format.ts';
import { yieldText } from './progress/progressLine.ts';
import { stopOnSignals } from './stopOnSignals.ts';
import { funnelLines } from './summary.ts';

/** How often a watched run is looked at. */
const WATCH_MS = 2_000;
/** A look at a long run takes a while; the wait after it is so many times as long, to leave the machine to the run. */
const WAITS_A_LOOK = 10;

/** Clears the terminal and begins at its top. */
const CLEAR = '\u001b[2J\u001b[H';

/** Prints how far a run is; with `watch` again and again until it ends. Returns the exit code. */
export async function statusFromCommandLine(
  name: string,
  { watch, json }: { readonly watch?: true; readonly json?: true },
): Promise<number> {
  const stop = stopOnSignals();
  try {
    for (;;) {
      const lookedAt = systemClock.monotonicMs();
      const { folder, run } = await findRun(name);
      const status = await readStatus(folder, run);
      const text = json ? JSON.stringify(status) : statusLines(status).join('\n');
      const clear = watch && !json && process.stdout.isTTY ? CLEAR : '';
      process.stdout.write(`${clear}${text}\n`);
      if (!watch || !status.running) return 0;
      const lookMs = systemClock.monotonicMs() - lookedAt;
      await systemClock.sleep(Math.max(WATCH_MS, WAITS_A_LOOK * lookMs), stop.signal);
    }
  } finally {
    stop.release();
  }
}

/** How far a run is. */
export interface RunStatus {
  readonly run: string;
  readonly folder: string;
  readonly config_hash: string;
  readonly complete: boolean;
  /** True while a process works on it. */
  readonly running: boolean;
  /** By all sessions; what was sent and never billed counts as its worst case. */
  readonly spent: {
    readonly cost_usd: number;
    readonly tokens: number;
    /** Requests sent, retries included; what the cache answers is no request. */
    readonly requests: number;
    readonly unbilled_requests: number;
  };
  readonly funnel: readonly FunnelStage[];
  /** Absent once the run is complete, and before a record went through all stages that look at one at a time. */
  readonly yield?: Yield;
}

/** Reads how far a run is from its folder, also while another process works on it. */
export async function readStatus(folder: string, run: RunFile): Promise<RunStatus> {
  const running = await isFolderHeld(folder);
  const funnel = await readFunnel(folder);
  const { costUsd, tokens, attempts, unbilled } = await readSpent(folder);
  const complete = funnel.at(-1)?.stage === 'export' && funnel.every((row) => row.complete);
  const soFar = complete ? undefined : yieldOfFunnel(expectedFunnel(funnel, run), costUsd);
  return {
    run: run.name,
    folder,
    config_hash: run.config_hash,
    complete,
    running,
    spent: { cost_usd: costUsd, tokens, requests: attempts, unbilled_requests: unbilled },
    funnel,
    ...(soFar && { yield: soFar }),
  };
}

/** The funnel without the number of rollouts where it depends on how they end, until that is known. */
function expectedFunnel(funnel: readonly FunnelStage[], { config }: RunFile) {
  const teacher = teacherConfigSchema.safeParse(config.teacher).data;
  if (teacher === undefined || rolloutPlan(teacher).correct === undefined) return funnel;
  return funnel.map((row) => (row.stage === 'rollout' && !row.complete ? { ...row, entered: null } : row));
}

/** A run's status as lines. The folder may be somebody else's: nothing in it can write to the screen. */
export function statusLines(status: RunStatus): string[] {
  const running = status.running ? ' (running)' : '';
  const lines = [
    `${status.run}: ${stateOf(status)}${running}`,
    ...funnelLines(status.funnel),
    ...(status.yield ? ['', `so far: ${yieldText(status.yield)}`] : []),
    ...spentLines(status),
  ];
  return lines.map(printable);
}

/** Where a run is, in a few words. */
export function stateOf({ complete, funnel }: RunStatus): string {
  if (complete) return 'complete';
  const under = funnel.find((row) => !row.complete)?.stage;
  return under ? `in ${under}` : `done up to ${funnel.at(-1)?.stage ?? 'nothing'}`;
}

function spentLines({ spent }: RunStatus): string[] {
  if (spent.requests === 0) return [];
  const parts = [
    `${formatCount(spent.requests)} requests`,
    `${formatCount(spent.tokens)} tokens`,
    // Without a price there is nothing to say: zero would be wrong.
    ...(spent.cost_usd > 0 ? [formatUsd(spent.cost_usd)] : []),
    ...(spent.unbilled_requests > 0
      ? [`${formatCount(spent.unbilled_requests)} without a bill, counted as their worst case`]
      : []),
  ];
  return ['', `spent: ${parts.join(' · ')}`];
}
