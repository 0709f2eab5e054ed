import { dollars } from '../base/figures.ts';
import type { WorkersView, WorkerView } from '../schemas/run/workersView.ts';
import { formatCount, formatDuration, formatTable } from './format.ts';

/** Maximum worker lines; the rest is in `status --json`, the report and the viewer. */
const MOST_LINES = 40;

export function workersLines(view: WorkersView): string[] {
  // Active workers first.
  const shown = view.workers.toSorted((a, b) => rank(a) - rank(b)).slice(0, MOST_LINES);
  const left = view.workers.length - shown.length;
  return [
    `workers: ${view.summary}`,
    ...(shown.length > 0 ? workersTable(shown) : []),
    ...(left > 0 ? [`and ${left} more`] : []),
    ...view.rates.map(
      ({ provider, counts, per_minute, last_minute, most_in_minute }) =>
        `limit of ${provider}: ${formatCount(per_minute)} ${counts} a minute; ${view.open ? `${formatCount(last_minute)} in the last minute, ` : ''}at most ${formatCount(most_in_minute)} in any`,
    ),
    ...view.purse.map(({ counts, cap, spent, in_hand, blocks }) => {
      const amount = (value: number) => (counts === 'usd' ? dollars(value) : `${formatCount(value)} tokens`);
      const unspent = view.open ? `, ${amount(in_hand)} in hand` : '';
      return `budget: workers spent ${amount(spent)} of ${amount(cap)} in ${formatCount(blocks)} ${blocks === 1 ? 'block' : 'blocks'}${unspent}`;
    }),
  ];
}

function rank({ state }: WorkerView): number {
  return state === 'working' ? 0 : 1;
}

function workersTable(workers: readonly WorkerView[]): string[] {
  return formatTable([
    ['worker', 'state', 'tasks', 'records', 'shards', 'lost', 'calls', 'a minute', 'CPU', 'spent', 'share'],
    ...workers.map((one) => [
      one.name,
      one.state,
      one.state === 'working' ? `${one.tasks_in_hand} of ${one.room}` : '-',
      one.records,
      one.shards,
      one.lost_leases,
      one.calls,
      one.calls_a_minute,
      formatDuration(one.cpu_ms),
      one.cost_usd > 0 ? dollars(one.cost_usd) : `${formatCount(one.tokens)} tokens`,
      `${Math.round(100 * one.share)}%`,
    ]),
  ]);
}
