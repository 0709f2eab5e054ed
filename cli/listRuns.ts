import { printable } from '../base/printable.ts';
import { systemClock } from '../base/systemClock.ts';
import { type ListedRun, listedRuns } from '../operations/report/listedRuns.ts';
import { formatCount, formatDuration, formatTable, formatUsd } from './format.ts';
import { runnable } from './programCommand.ts';

/** `coa-distill runs`: every run under `runs/`, the one that changed last first. */
export async function listRuns({ json }: { readonly json?: true }): Promise<void> {
  const runs = await listedRuns();
  if (json) return console.log(JSON.stringify(runs));
  if (runs.length === 0)
    return console.log(runnable('no runs under runs/; begin with: coa-distill init, then coa-distill run'));
  const now = systemClock.now();
  const rows = runs.map((run) =>
    'error' in run ? [run.run, 'unreadable', '', '', '', run.error] : row(run, now),
  );
  for (const line of formatTable([['run', 'state', 'kept', 'tokens', 'cost', 'changed'], ...rows]))
    console.log(printable(line));
}

function row({ run, state, kept, tokens, cost_usd, changed_at_ms }: ListedRun, now: number): string[] {
  const cost = cost_usd > 0 ? formatUsd(cost_usd) : '';
  return [
    run,
    state,
    formatCount(kept),
    formatCount(tokens),
    cost,
    `${formatDuration(Math.max(0, now - changed_at_ms))} ago`,
  ];
}
