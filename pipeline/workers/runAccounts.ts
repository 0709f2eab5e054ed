import type { Clock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import { mostSpent } from '../../calls/budget/spendingLog.ts';
import type { WorkersFile } from '../../schemas/run/workersFile.ts';
import { type CountedRate, type CountedRun, countRuns } from './countRuns.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';
import { type CoordinatorOptions, enterMirrored, type Mirrored } from './runEntry.ts';
import { writeWorkersFile } from './workersFile.ts';

interface RunCount {
  /** True while workers hold shards or have calls in flight. */
  readonly isBusy: boolean;
  /** Concurrent tasks of each worker; 0 until it is ready. */
  readonly rooms: readonly number[];
  readonly faults: readonly string[];
}

/** Constant part of a run's workers file. */
export type RunMark = Pick<WorkersFile, 'key' | 'database' | 'earlier' | 'rates'>;

/**
 * Copies workers' spending and assignments into a run's folder.
 *
 * @param run the run's id in the database
 */
export function createRunAccounts(
  database: SharedDatabase,
  run: string,
  { earlier, ...mark }: RunMark,
  { spendingLog, session, runFolder }: CoordinatorOptions,
) {
  const { earlier: before } = spendingLog;
  let mirrored: Mirrored = { ...mostSpent(before), attempts: before.attempts };
  const [rateWatch, callWatch] = [new MinuteWatch(session.clock), new MinuteWatch(session.clock)];

  const enter = async ({ cost_usd, tokens, attempts }: CountedRun['spent']) => {
    const counted = { costUsd: cost_usd, tokens: Math.round(tokens), attempts: Math.round(attempts) };
    const spent = {
      costUsd: counted.costUsd - mirrored.costUsd,
      tokens: counted.tokens - mirrored.tokens,
    };
    const sent = counted.attempts - mirrored.attempts;
    if (sent <= 0 && spent.tokens === 0 && Math.abs(spent.costUsd) <= 1e-12) return;
    spendingLog.workersSpent(sent, spent);
    await spendingLog.flush();
    mirrored = counted;
    await enterMirrored(database, run, mirrored);
  };

  const rateOf = ({ key, let_through, ...rate }: CountedRate): WorkersFile['rates'][number] => {
    const { last_minute, most_in_minute } = rateWatch.note(key, let_through);
    const before = mark.rates.find(
      ({ provider, counts }) => provider === rate.provider && counts === rate.counts,
    );
    const most = Math.max(most_in_minute, before?.most_in_minute ?? 0);
    return { ...rate, last_minute, most_in_minute: most };
  };

  const note = ({ workers, rates, shards, caps, set_aside }: CountedRun, open: boolean) =>
    writeWorkersFile(runFolder, {
      ...mark,
      open,
      workers: workers.map(({ lease_left_s: _, told: __, why: ___, ...worker }) => ({
        ...worker,
        calls_last_minute: callWatch.note(worker.name, worker.calls).last_minute,
      })),
      earlier,
      rates: rates.map(rateOf),
      caps,
      shards,
      set_aside,
    });

  return {
    /**
     * Updates both.
     *
     * @param ended deletes the run's rows if no worker is busy, and notes that in the file
     */
    async count({ ended = false } = {}): Promise<RunCount> {
      const counted = (await countRuns(database, run))[0]!;
      await enter(counted.spent);
      const living = counted.workers.filter(({ state }) => state === 'working');
      const isBusy = counted.shards.taken > 0 || living.some(({ calls_in_flight }) => calls_in_flight > 0);
      await note(counted, !ended || isBusy);
      const left = counted.workers.filter(({ why }) => why !== null);
      const faults = left.map(({ name, why }) => `worker ${name} left: ${why}`);
      return { isBusy, rooms: living.map(({ room }) => room), faults };
    },
  };
}

const MINUTE_MS = 60_000;

interface Growth {
  readonly last_minute: number;
  /** Maximum per minute so far. */
  readonly most_in_minute: number;
}

/** Computes growth per minute from cumulative counts. */
export class MinuteWatch {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { most: number; looks: { atMs: number; total: number }[] }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a count. The first value of a name gives no growth. */
  note(name: string, total: number): Growth {
    const nowMs = this.#clock.monotonicMs();
    const seen = this.#seen.get(name) ?? { most: 0, looks: [] };
    this.#seen.set(name, seen);
    seen.looks.push({ atMs: nowMs, total });
    while (nowMs - seen.looks[0]!.atMs > MINUTE_MS) seen.looks.shift();
    const grown = Math.max(0, Math.round(total - seen.looks[0]!.total));
    seen.most = Math.max(seen.most, grown);
    return { last_minute: grown, most_in_minute: seen.most };
  }
}

/**
 * Logs changes in the number of workers, and each worker fault once.
 *
 * @param address that of the database, without password
 * @returns logger; the number of workers is absent while unknown
 */
export function createWorkerLog(address: string, log: (line: string) => void) {
  const said = new Set<string>();
  let counted: string | undefined;
  return ({ faults, ready }: { readonly faults: readonly string[]; readonly ready?: number }): void => {
    for (const fault of faults.map(printable)) {
      if (!said.has(fault)) log(fault);
      said.add(fault);
    }
    if (ready === undefined) return;
    const working = `${ready} ${ready === 1 ? 'worker works' : 'workers work'} on it`;
    const none = `no worker works on it; start one with: coa-distill workers join ${address}`;
    const line = ready === 0 ? none : working;
    if (line !== counted) log(line);
    counted = line;
  };
}
