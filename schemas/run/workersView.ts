import type { WorkerEntry, WorkersFile } from './workersFile.ts';

/** A worker as it is shown. */
export interface WorkerView extends WorkerEntry {
  readonly host: string;
  /** Requests in the last minute; of one that is gone on average over its time. */
  readonly calls_a_minute: number;
  /** Its share of what all workers spent, between 0 and 1: of the money, or of the tokens where nothing has a price. */
  readonly share: number;
}

/** Who works on a run, or worked on it, as `status`, the report and the viewer show it. */
export interface WorkersView
  extends Pick<WorkersFile, 'database' | 'open' | 'rates' | 'shards' | 'set_aside'> {
  /** How many work, left and were lost, and how the shards stand. */
  readonly summary: string;
  /** In the order in which they came; those of earlier sessions first. */
  readonly workers: readonly WorkerView[];
  /** The run's caps, what the workers spent, and what the blocks leave that they were granted; without a cap absent. */
  readonly purse: readonly PurseView[];
}

/** A cap, and how it is shared out. */
interface PurseView {
  readonly counts: 'usd' | 'tokens';
  readonly cap: number;
  readonly spent: number;
  /** Granted to workers, and neither spent nor put aside for a call yet. */
  readonly in_hand: number;
  /** Blocks that were granted. */
  readonly blocks: number;
}

/** Makes what is shown of what the coordinator noted. */
export function workersView({ workers, earlier, caps, ...file }: WorkersFile): WorkersView {
  const all = byName([...earlier, ...workers]);
  const sum = (of: (worker: WorkerEntry) => number) => all.reduce((total, one) => total + of(one), 0);
  const spentOf = sum(({ cost_usd }) => cost_usd) > 0 ? costOf : tokensOf;
  const total = sum(spentOf);
  const purse = [
    { counts: 'usd', cap: caps.cost_usd, spent: sum(costOf), in_hand: sum((one) => one.granted_usd) },
    { counts: 'tokens', cap: caps.tokens, spent: sum(tokensOf), in_hand: sum((one) => one.granted_tokens) },
  ] as const;
  return {
    database: file.database,
    open: file.open,
    rates: file.rates,
    shards: file.shards,
    set_aside: file.set_aside,
    summary: `${workersText(all, file.open)} · ${shardsText(file)}`,
    workers: all.map((worker) => ({
      ...worker,
      ...(!file.open &&
        worker.state === 'working' && { state: 'left', tasks_in_hand: 0, calls_in_flight: 0 }),
      host: worker.name.replace(/:\d+$/, ''),
      calls_a_minute: callsAMinute(worker, file.open),
      share: total > 0 ? spentOf(worker) / total : 0,
    })),
    purse: purse.flatMap(({ cap, ...rest }) =>
      cap === null ? [] : [{ ...rest, cap, blocks: sum(({ blocks }) => blocks) }],
    ),
  };
}

function workersText(workers: readonly WorkerEntry[], isOpen: boolean): string {
  const counted = (state: WorkerEntry['state']) =>
    workers.filter((one) => stateOf(one, isOpen) === state).length;
  const [working, left, lost] = [counted('working'), counted('left'), counted('lost')];
  const leases = workers.reduce((sum, one) => sum + one.lost_leases, 0);
  return [
    ...(working > 0 ? [`${working} working`] : []),
    ...(left > 0 ? [`${left} left`] : []),
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(leases > 0 ? [`${leases} ${leases === 1 ? 'lease' : 'leases'} lost`] : []),
    ...(workers.length === 0 ? ['none'] : []),
  ].join(', ');
}

/** The shards of a run in a few words. */
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

/** Once the run is over nobody works on it, whatever was last heard. */
function stateOf({ state }: WorkerEntry, isOpen: boolean): WorkerEntry['state'] {
  return !isOpen && state === 'working' ? 'left' : state;
}

function callsAMinute(worker: WorkerEntry, isOpen: boolean): number {
  if (isOpen && worker.state === 'working') return worker.calls_last_minute;
  const seconds = Math.max(1, (worker.seen_at_ms - worker.joined_at_ms) / 1000);
  return Math.round((60 * worker.calls) / seconds);
}

function costOf({ cost_usd }: WorkerEntry): number {
  return cost_usd;
}

function tokensOf({ tokens }: WorkerEntry): number {
  return tokens;
}

/** A process that worked in several sessions is one worker. */
function byName(entries: readonly WorkerEntry[]): WorkerEntry[] {
  const known = new Map<string, WorkerEntry>();
  for (const entry of entries) {
    const before = known.get(entry.name);
    known.set(entry.name, before ? together(before, entry) : entry);
  }
  return [...known.values()];
}

const added = [
  'lost_leases',
  'shards',
  'records',
  'calls',
  'cost_usd',
  'tokens',
  'blocks',
  'cpu_ms',
] as const satisfies (keyof WorkerEntry)[];

function together(before: WorkerEntry, after: WorkerEntry): WorkerEntry {
  const sums = Object.fromEntries(added.map((key) => [key, before[key] + after[key]]));
  return { ...after, ...sums, joined_at_ms: before.joined_at_ms };
}
