import { Counts } from '../../base/counts.ts';
import { sum } from '../../base/sum.ts';
import type { WorkerEntry, WorkersFile } from './workersFile.ts';

/** A worker for display. */
export interface WorkerView extends WorkerEntry {
  readonly host: string;
  /** Requests in the last minute; for a worker that has left, its average. */
  readonly calls_a_minute: number;
  /** Share of all workers' spending, 0 to 1: in money, or in tokens without any price. */
  readonly share: number;
}

/** Current and former workers of a run, for `status`, the report and the viewer. */
export interface WorkersView
  extends Pick<WorkersFile, 'database' | 'open' | 'rates' | 'shards' | 'set_aside'> {
  /** Number of working, left and lost workers, and the state of the shards. */
  readonly summary: string;
  /** In order of arrival, earlier sessions first. */
  readonly workers: readonly WorkerView[];
  /** Caps, the workers' spending, and the rest of their granted blocks; empty without a cap. */
  readonly purse: readonly PurseView[];
}

/** A cap and its distribution. */
interface PurseView {
  readonly counts: 'usd' | 'tokens';
  readonly cap: number;
  readonly spent: number;
  /** Granted to workers, neither spent nor reserved yet. */
  readonly in_hand: number;
  /** Blocks that were granted. */
  readonly blocks: number;
}

/** Derives the view from the coordinator's file. */
export function workersView({ workers, earlier, caps, key: _, ...file }: WorkersFile): WorkersView {
  const all = byName([...earlier, ...workers]).map((worker) => (file.open ? worker : whenOver(worker)));
  const added = (key: AddedKey | 'granted_usd' | 'granted_tokens') => sum(all.map((worker) => worker[key]));
  const spentKey = added('cost_usd') > 0 ? 'cost_usd' : 'tokens';
  const total = added(spentKey);
  const purse = [
    { counts: 'usd', cap: caps.cost_usd, spent: added('cost_usd'), in_hand: added('granted_usd') },
    { counts: 'tokens', cap: caps.tokens, spent: added('tokens'), in_hand: added('granted_tokens') },
  ] as const;
  return {
    ...file,
    summary: `${workersText(all)} · ${shardsText(file)}`,
    workers: all.map((worker) => ({
      ...worker,
      host: worker.name.replace(/:\d+$/, ''),
      calls_a_minute: callsAMinute(worker),
      share: total > 0 ? worker[spentKey] / total : 0,
    })),
    purse: purse.flatMap(({ cap, ...rest }) =>
      cap === null ? [] : [{ ...rest, cap, blocks: added('blocks') }],
    ),
  };
}

/** Marks workers as inactive once the run is over. */
function whenOver(worker: WorkerEntry): WorkerEntry {
  return worker.state === 'working'
    ? { ...worker, state: 'left', tasks_in_hand: 0, calls_in_flight: 0 }
    : worker;
}

function workersText(workers: readonly WorkerEntry[]): string {
  const counts = Counts.of(workers.map(({ state }) => state));
  const states = (['working', 'left', 'lost'] as const).filter((state) => counts.has(state));
  const leases = sum(workers.map((one) => one.lost_leases));
  return [
    ...states.map((state) => `${counts.get(state)} ${state}`),
    ...(leases > 0 ? [`${leases} ${leases === 1 ? 'lease' : 'leases'} lost`] : []),
    ...(workers.length === 0 ? ['none'] : []),
  ].join(', ');
}

/** Summary of a run's shards. */
export function shardsText({
  shards: { ready, taken, done, alone },
  set_aside,
}: Pick<WorkersFile, 'shards' | 'set_aside'>): string {
  return [
    `shards: ${ready} ready, ${taken} taken, ${done} done`,
    ...(alone > 0 ? [`${alone} tried alone`] : []),
    ...(set_aside > 0 ? [`${set_aside} set aside as worker_lost`] : []),
  ].join(', ');
}

function callsAMinute(worker: WorkerEntry): number {
  if (worker.state === 'working') return worker.calls_last_minute;
  const seconds = Math.max(1, (worker.seen_at_ms - worker.joined_at_ms) / 1000);
  return Math.round((60 * worker.calls) / seconds);
}

/** Merges entries of a process over several sessions. */
function byName(entries: readonly WorkerEntry[]): WorkerEntry[] {
  const known = new Map<string, WorkerEntry>();
  for (const entry of entries) {
    const before = known.get(entry.name);
    known.set(entry.name, before ? together(before, entry) : entry);
  }
  return [...known.values()];
}

const addedKeys = [
  ...(['lost_leases', 'shards', 'records', 'calls'] as const),
  ...(['cost_usd', 'tokens', 'blocks', 'cpu_ms'] as const),
];
type AddedKey = (typeof addedKeys)[number];

function together(before: WorkerEntry, after: WorkerEntry): WorkerEntry {
  const sums = Object.fromEntries(addedKeys.map((key) => [key, before[key] + after[key]]));
  return { ...after, ...sums, joined_at_ms: before.joined_at_ms };
}
