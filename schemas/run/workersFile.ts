import { z } from 'zod';

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

/** A worker under one name over all its leases. */
export const workerEntrySchema = z.object({
  /** Host and process. */
  name: z.string(),
  /** `working` while it has a lease; `lost` if its last one was ended by others after it fell silent. */
  state: z.enum(['working', 'left', 'lost']),
  /** First join and last sign of life, milliseconds since 1970. */
  joined_at_ms: z.number(),
  seen_at_ms: z.number(),
  /** Tasks it holds, and its concurrency. */
  tasks_in_hand: count,
  room: count,
  calls_in_flight: count,
  /** Leases ended by others after it fell silent. */
  lost_leases: count,
  /** Finished shards, and their records: a task after its rollout, a trajectory after judging. */
  shards: count,
  records: count,
  /** Requests sent, retries included: in all, and in the last minute. */
  calls: count,
  calls_last_minute: count.default(0),
  /** US dollars and tokens spent. */
  cost_usd: amount,
  tokens: count,
  /** Rest of its granted blocks of the caps, and the number of blocks. */
  granted_usd: amount,
  granted_tokens: count,
  blocks: count,
  /** CPU time of its process. */
  cpu_ms: amount,
});
export type WorkerEntry = z.infer<typeof workerEntrySchema>;

/** A limit shared by the workers. */
export const sharedRateSchema = z.object({
  /** Address without user, password and query. */
  provider: z.string(),
  counts: z.enum(['requests', 'tokens']),
  per_minute: z.number(),
  /** Requests admitted in the last minute, and the maximum in any. */
  last_minute: amount,
  most_in_minute: amount,
});

/** `workers.json`: workers of a run on many machines, in the coordinator's last state. */
export const workersFileSchema = z.object({
  /** Key of the run in the database. */
  key: z.string(),
  /** The database's address without password. */
  database: z.string(),
  /** True while the database may contain answers and spending that the run folder lacks. */
  open: z.boolean(),
  workers: z.array(workerEntrySchema),
  /** Workers of earlier sessions, which the database no longer contains. */
  earlier: z.array(workerEntrySchema),
  rates: z.array(sharedRateSchema),
  /** Caps of the run; null without any. */
  caps: z.object({ cost_usd: z.number().nullable(), tokens: z.number().nullable() }),
  shards: z.object({
    ready: count,
    taken: count,
    done: count,
    /** Tasks among these that are tried alone, since they lost their workers each time. */
    alone: count,
  }),
  /** Tasks that failed as `worker_lost`, in this session. */
  set_aside: count,
});
export type WorkersFile = z.infer<typeof workersFileSchema>;
