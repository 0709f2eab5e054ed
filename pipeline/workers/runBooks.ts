import type { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import { type CoordinatorOptions, enterMirrored } from './runEntry.ts';
import { writeWorkersFile } from './workersFile.ts';

/** Where a run's books stand. */
interface RunCount {
  /** True while workers hold shards or have calls in flight. */
  readonly isBusy: boolean;
  /** Tasks that each worker works on at once; 0 for one that is not ready. */
  readonly rooms: readonly number[];
}

/** Brings into a run's folder what its workers spent, and who works on what. */
export class RunBooks {
  readonly #database: SharedDatabase;
  readonly #run: string;
  readonly #key: string;
  readonly #options: CoordinatorOptions;
  readonly #mirrored: { costUsd: number; tokens: number; attempts: number };

  /** @param run the run's id in the database, and the key that its folder holds of it */
  constructor(
    database: SharedDatabase,
    { id, key }: { readonly id: string; readonly key: string },
    options: CoordinatorOptions,
  ) {
    this.#database = database;
    this.#run = id;
    this.#key = key;
    this.#options = options;
    this.#mirrored = { ...options.spendingLog.earlier };
  }

  /** Brings both up to date. */
  async count(): Promise<RunCount> {
    const [total] = await this.#database.query<Total>(TOTAL, [this.#run]);
    await this.#enter(total!);
    const workers = await this.#database.query<WorkerRow>(WORKERS, [this.#run]);
    await this.#note(workers, true);
    const living = workers.filter(({ dead }) => !dead);
    const isBusy = total!.taken > 0 || living.some(({ in_flight }) => in_flight > 0);
    return { isBusy, rooms: living.map(({ room }) => room) };
  }

  /** Says that nobody works on it any more. */
  close({ open }: { readonly open: boolean }): Promise<void> {
    return this.#note([], open);
  }

  async #enter({ cost_usd, tokens, attempts }: Total): Promise<void> {
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

  async #note(workers: readonly WorkerRow[], open: boolean): Promise<void> {
    const [shards] = await this.#database.query<ShardCounts>(SHARDS, [this.#run]);
    const { set_aside, ...counts } = shards!;
    await writeWorkersFile(this.#options.runFolder, {
      key: this.#key,
      database: this.#database.address,
      open,
      workers: workers
        .filter(({ dead }) => !dead)
        .map(({ name, working, room, cost_usd, tokens }) => ({
          name,
          working,
          room,
          cost_usd,
          tokens: Math.round(tokens),
        })),
      gone: workers.filter(({ dead }) => dead).length,
      shards: counts,
      set_aside,
    });
  }
}

interface Total {
  readonly cost_usd: number;
  readonly tokens: number;
  readonly attempts: number;
  readonly taken: number;
}

/** What the run has spent, calls in flight at their worst case. */
const TOTAL = `
  SELECT elsewhere_usd + coalesce(sum(spent_usd + aside_usd), 0) AS cost_usd,
    elsewhere_tokens + coalesce(sum(spent_tokens + aside_tokens), 0) AS tokens,
    (elsewhere_attempts + coalesce(sum(attempts), 0))::float8 AS attempts,
    (SELECT count(*)::int FROM shard WHERE shard.run = $1 AND shard.state = 'taken') AS taken
  FROM run LEFT JOIN share ON share.run = run.id WHERE run.id = $1 GROUP BY run.id
`;

interface ShardCounts {
  readonly ready: number;
  readonly taken: number;
  readonly done: number;
  readonly alone: number;
  readonly set_aside: number;
}

const SHARDS = `
  SELECT count(*) FILTER (WHERE state IN ('ready', 'lost'))::int AS ready,
    count(*) FILTER (WHERE state = 'taken')::int AS taken, count(*) FILTER (WHERE state = 'done')::int AS done,
    count(*) FILTER (WHERE alone)::int AS alone,
    coalesce((SELECT set_aside FROM run WHERE id = $1), 0) AS set_aside
  FROM shard WHERE run = $1
`;

interface WorkerRow {
  readonly name: string;
  readonly dead: boolean;
  readonly room: number;
  readonly working: number;
  readonly in_flight: number;
  readonly cost_usd: number;
  readonly tokens: number;
}

const WORKERS = `
  SELECT name, dead, room, working, in_flight, spent_usd AS cost_usd, spent_tokens AS tokens
  FROM worker JOIN share ON share.worker = worker.id WHERE worker.run = $1 AND NOT is_coordinator ORDER BY worker.id
`;
