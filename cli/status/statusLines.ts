import { printable } from '../../base/printable.ts';
import { formatCount, formatUsd } from '../format.ts';
import { funnelLines } from '../summary.ts';
import type { RunStatus } from './readStatus.ts';

/** A run's status as lines. The folder may be somebody else's: nothing in it can write to the screen. */
export function statusLines(status: RunStatus): string[] {
  const running = status.running ? ' (running)' : '';
  const lines = [
    `${status.run}: ${stateOf(status)}${running}`,
    ...funnelLines(status.funnel),
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
