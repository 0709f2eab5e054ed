import { z } from 'zod';

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

/** A worker, under one name over all its leases. */
export const workerEntrySchema = z.object({
  /** Host and process. */
  name: z.string(),
  /** `working` while it has a lease; `lost` where others ended its last one, since it had fallen silent. */
  state: z.enum(['working', 'left', 'lost']),
  /** Milliseconds since 1970: when it first joined, and was last heard of. */
  joined_at_ms: z.number(),
  seen_at_ms: z.number(),
  /** Tasks that it has, and works on at once. */
  tasks_in_hand: count,
  room: count,
  calls_in_flight: count,
  /** Leases that others ended, since it had fallen silent. */
  lost_leases: count,
  /** Shards that it finished, and their records: a task at its rollout, a trajectory when it is judged. */
  shards: count,
  records: count,
  /** Requests that it sent, retries included: in all, and in the last minute. */
  calls: count,
  calls_last_minute: count.default(0),
  /** US dollars and tokens that it spent. */
  cost_usd: amount,
  tokens: count,
  /** What the blocks of the caps that it was granted leave it to spend, and how many it was granted. */
  granted_usd: amount,
  granted_tokens: count,
  blocks: count,
  /** Processor time of its process. */
  cpu_ms: amount,
});
export type WorkerEntry = z.infer<typeof workerEntrySchema>;

/** A limit that the workers keep together. */
export const sharedRateSchema = z.object({
  /** Address without user, password and query. */
  provider: z.string(),
  counts: z.enum(['requests', 'tokens']),
  per_minute: z.number(),
  /** What was let through in the last minute, and the most in any. */
  last_minute: amount,
  most_in_minute: amount,
});

/** `workers.json`: the workers of a run on many machines, as the coordinator last saw them. */
export const workersFileSchema = z.object({
  /** What the run is called in the database. */
  key: z.string(),
  /** The database's address without password. */
  database: z.string(),
  /** True while the database holds answers and spending that the run folder may lack. */
  open: z.boolean(),
  workers: z.array(workerEntrySchema),
  /** Those of earlier sessions, of which the database has nothing any more. */
  earlier: z.array(workerEntrySchema),
  rates: z.array(sharedRateSchema),
  /** The run's caps; null where there is none. */
  caps: z.object({ cost_usd: z.number().nullable(), tokens: z.number().nullable() }),
  shards: z.object({
    ready: count,
    taken: count,
    done: count,
    /** Tasks among these that are tried alone, since their workers were lost each time. */
    alone: count,
  }),
  /** Tasks that failed as `worker_lost`, in this session. */
  set_aside: count,
});
export type WorkersFile = z.infer<typeof workersFileSchema>;
