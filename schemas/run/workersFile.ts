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
  shards: z.object({
    ready: count,
    taken: count,
    done: count,
    /** Tasks among these that are tried alone, since their workers were lost each time. */
    alone: count.default(0),
  }),
  /** Tasks that failed as `worker_lost`, in this session. */
  set_aside: count.default(0),
});
export type WorkersFile = z.infer<typeof workersFileSchema>;

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
