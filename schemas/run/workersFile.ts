import { z } from 'zod';

const count = z.int().nonnegative();

/** `workers.json`: the workers of a run on many machines, as the coordinator last saw them. */
export const workersFileSchema = z.object({
  /** What the run is called in the database. */
  key: z.string(),
  /** The database's address without password. */
  database: z.string(),
  /** True while the database holds answers and spending that the run folder may lack. */
  open: z.boolean(),
  workers: z.array(
    z.object({
      /** Host and process. */
      name: z.string(),
      /** Tasks that it works on. */
      working: count,
      /** Tasks that it works on at once. */
      room: count,
      /** US dollars and tokens that it spent. */
      cost_usd: z.number(),
      tokens: count,
    }),
  ),
  /** Workers that lost their lease or left. */
  gone: count,
  shards: z.object({ ready: count, taken: count, done: count }),
});
export type WorkersFile = z.infer<typeof workersFileSchema>;
