import { isFolderHeld } from '../../base/files/lockFolder.ts';
import { readSpent } from '../../calls/budget/spendingLog.ts';
import { type FunnelStage, readFunnel } from '../../operations/report/funnel.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';

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
}

/** Reads how far a run is from its folder, also while another process works on it. */
export async function readStatus(folder: string, run: RunFile): Promise<RunStatus> {
  const running = await isFolderHeld(folder);
  const funnel = await readFunnel(folder);
  const { costUsd, tokens, attempts, unbilled } = await readSpent(folder);
  return {
    run: run.name,
    folder,
    config_hash: run.config_hash,
    complete: funnel.at(-1)?.stage === 'export' && funnel.every((row) => row.complete),
    running,
    spent: { cost_usd: costUsd, tokens, requests: attempts, unbilled_requests: unbilled },
    funnel,
  };
}
