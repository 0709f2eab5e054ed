import { readSpent } from '../../calls/budget/spendingLog.ts';
import type { RunSpending } from '../../schemas/run/spending.ts';

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
