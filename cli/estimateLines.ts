import { dollars, formatInterval } from '../base/figures.ts';
import { FEWEST_SEEN, type WorkEstimate } from '../pipeline/estimate/estimateWork.ts';
import type { Interval } from '../pipeline/estimate/interval.ts';
import { formatCount, formatDuration } from './format.ts';

/** Cost, if any, and tokens in one line. */
export function useText({
  costUsd,
  tokens,
}: {
  readonly costUsd: Interval;
  readonly tokens: Interval;
}): string {
  return [
    ...(costUsd.expected > 0 ? [formatInterval(costUsd, dollars)] : []),
    `${formatInterval(tokens)} tokens`,
  ].join(' · ');
}

export function estimateLines(estimate: WorkEstimate, from: string, of: 'tasks' | 'candidates'): string[] {
  const { seen, left, unknown, requests, tokens, cost_usd, seconds, kept } = estimate;
  const row = (name: string, interval: Interval, format?: (value: number) => string) =>
    `${name.padEnd(9)}${formatInterval(interval, format)}`;
  return [
    `${formatCount(left)} ${of} left, estimated from ${formatCount(seen)} of ${from} (95% interval)`,
    row('requests', requests),
    row('tokens', tokens),
    cost_usd.expected > 0
      ? `${row('cost', cost_usd, dollars)}, at the prices of ${from}`
      : `cost     nothing, or no price was set in ${from}`,
    ...(of === 'tasks'
      ? [`${row('time', seconds, (value) => formatDuration(value * 1000))}, at the configured concurrency`]
      : []),
    kept
      ? row(of === 'tasks' ? 'rows' : 'passed', kept)
      : `rows     unknown: ${from} has not reached its end`,
    ...(unknown.length > 0
      ? [`left out, with fewer than ${FEWEST_SEEN} ended tasks: ${unknown.join(', ')}`]
      : []),
  ];
}
