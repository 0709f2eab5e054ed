import type { Clock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import type { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import type { WorkersFile } from '../../schemas/run/workersFile.ts';
import { type CountedRate, type CountedRun, countRuns } from './countRuns.ts';
import { type CoordinatorOptions, enterMirrored } from './runEntry.ts';
import { writeWorkersFile } from './workersFile.ts';

/** Where a run's books stand. */
interface RunCount {
  /** True while workers hold shards or have calls in flight. */
  readonly isBusy: boolean;
  /** Tasks that each worker works on at once; 0 for one that is not ready. */
  readonly rooms: readonly number[];
  /** Workers that left with an error, one line each. */
  readonly faults: readonly string[];
}

/** What of a run's file stays as it is while it is worked on. */
export type RunMark = Pick<WorkersFile, 'key' | 'database' | 'earlier' | 'rates'>;

/** Brings into a run's folder what its workers spent, and who works on what. */
export class RunAccounts {
  readonly #database: SharedDatabase;
  readonly #run: string;
  readonly #mark: RunMark;
  readonly #options: CoordinatorOptions;
  readonly #mirrored: { costUsd: number; tokens: number; attempts: number };
  readonly #rates: MinuteWatch;
  readonly #calls: MinuteWatch;

  /** @param run the run's id in the database */
  constructor(database: SharedDatabase, run: string, mark: RunMark, options: CoordinatorOptions) {
    this.#database = database;
    this.#run = run;
    this.#mark = mark;
    this.#options = options;
    this.#mirrored = { ...options.spendingLog.earlier };
    this.#rates = new MinuteWatch(options.session.clock);
    this.#calls = new MinuteWatch(options.session.clock);
  }

  /**
   * Brings both up to date.
   *
   * @param ended the run's rows go when nobody is busy: the file says so
   */
  async count({ ended = false } = {}): Promise<RunCount> {
    const [run] = await countRuns(this.#database, this.#run);
    await this.#enter(run!.spent);
    const living = run!.workers.filter(({ state }) => state === 'working');
    const isBusy = run!.shards.taken > 0 || living.some(({ calls_in_flight }) => calls_in_flight > 0);
    await this.#note(run!, !ended || isBusy);
    const faults = run!.workers.flatMap(({ name, why }) =>
      why === null ? [] : [`worker ${name} left: ${why}`],
    );
    return { isBusy, rooms: living.map(({ room }) => room), faults };
  }

  async #enter({ cost_usd, tokens, attempts }: CountedRun['spent']): Promise<void> {
    const { spendingLog } = this.#options;
    const counted = { costUsd: cost_usd, tokens: Math.round(tokens), attempts: Math.round(attempts) };
    const costUsd = counted.costUsd - this.#mirrored.costUsd;
    const spent = { costUsd, tokens: counted.tokens - this.#mirrored.tokens };
    const sent = counted.attempts - this.#mirrored.attempts;
    if (sent <= 0 && spent.tokens === 0 && Math.abs(costUsd) <= 1e-12) return;
    spendingLog.workersSpent(sent, spent);
    await spendingLog.flush();
    Object.assign(this.#mirrored, counted);
    await enterMirrored(this.#database, this.#run, this.#mirrored);
  }

  #note({ workers, rates, shards, caps, set_aside }: CountedRun, open: boolean): Promise<void> {
    const { earlier, ...mark } = this.#mark;
    return writeWorkersFile(this.#options.runFolder, {
      ...mark,
      open,
      workers: workers.map(({ lease_left_s: _, told: __, why: ___, ...worker }) => ({
        ...worker,
        calls_last_minute: this.#calls.note(worker.name, worker.calls).last_minute,
      })),
      earlier,
      rates: rates.map((rate) => this.#rateOf(rate)),
      caps,
      shards,
      set_aside,
    });
  }

  #rateOf({ key, let_through, ...rate }: CountedRate): WorkersFile['rates'][number] {
    const { last_minute, most_in_minute } = this.#rates.note(key, let_through);
    const before = this.#mark.rates.find(
      ({ provider, counts }) => provider === rate.provider && counts === rate.counts,
    );
    const most = Math.max(most_in_minute, before?.most_in_minute ?? 0);
    return { ...rate, last_minute, most_in_minute: most };
  }
}

const MINUTE_MS = 60_000;

/** How much a count grew. */
interface Growth {
  readonly last_minute: number;
  /** The most in any minute that was seen. */
  readonly most_in_minute: number;
}

/** Tells from counts that only grow how much they grew in a minute, as often as they are looked at. */
export class MinuteWatch {
  readonly #clock: Clock;
  readonly #seen = new Map<string, { most: number; looks: { atMs: number; total: number }[] }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes what a count is by now. At the first look nothing has grown. */
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

/** Says who works on a run, and why a worker left it: each fault once, how many work when that changes. */
export class WorkerLog {
  readonly #address: string;
  readonly #log: (line: string) => void;
  readonly #told = new Set<string>();
  #counted: string | undefined;

  /** @param address that of the database, without password */
  constructor(address: string, log: (line: string) => void) {
    this.#address = address;
    this.#log = log;
  }

  /** @param ready how many work; absent while that is not known */
  tell({ faults, ready }: { readonly faults: readonly string[]; readonly ready?: number }): void {
    for (const fault of faults.map(printable)) {
      if (!this.#told.has(fault)) this.#log(fault);
      this.#told.add(fault);
    }
    if (ready === undefined) return;
    const line = this.#line(ready);
    if (line !== this.#counted) this.#log(line);
    this.#counted = line;
  }

  #line(count: number): string {
    if (count === 0)
      return `no worker works on it; start one with: coa-distill workers join ${this.#address}`;
    return `${count} ${count === 1 ? 'worker works' : 'workers work'} on it`;
  }
}
