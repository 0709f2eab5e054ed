import { readSpent } from '../../calls/budget/spendingLog.ts';
import type { RunSpending } from '../../schemas/run/runFile.ts';
import { readRunFile, writeRunFile } from './runFile.ts';

/** Reads the spending of a run, even while another process is writing. */
export async function readRunSpending(runFolder: string): Promise<RunSpending> {
  const { costUsd, tokens, attempts, unbilled } = await readSpent(runFolder);
  return {
    cost_usd: costUsd,
    tokens,
    requests: attempts,
    unbilled: { requests: unbilled.requests, cost_usd: unbilled.costUsd, tokens: unbilled.tokens },
  };
}

/** Stores the spending in `run.json` at the end of a session; the next session removes it when it begins. */
export async function noteSpent(runFolder: string): Promise<void> {
  const run = await readRunFile(runFolder);
  if (run) await writeRunFile(runFolder, { ...run, spent: await readRunSpending(runFolder) });
}
