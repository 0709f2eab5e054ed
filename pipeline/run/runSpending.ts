import { readSpent } from '../../calls/budget/spendingLog.ts';
import type { RunSpending } from '../../schemas/run/runFile.ts';
import { readRunFile, writeRunFile } from './runFile.ts';

/** Reads what a run took from its folder, also while another process works on it. */
export async function readRunSpending(runFolder: string): Promise<RunSpending> {
  const { costUsd, tokens, attempts, unbilled } = await readSpent(runFolder);
  return {
    cost_usd: costUsd,
    tokens,
    requests: attempts,
    unbilled: { requests: unbilled.requests, cost_usd: unbilled.costUsd, tokens: unbilled.tokens },
  };
}

/** Notes in `run.json` what a run took, as its session ends: the next one takes it out again when it begins. */
export async function noteSpent(runFolder: string): Promise<void> {
  const run = await readRunFile(runFolder);
  if (run) await writeRunFile(runFolder, { ...run, spent: await readRunSpending(runFolder) });
}
