import { z } from 'zod';
import { key, positiveInt } from './keyMeaning.ts';

/** Default seconds before others take over from a silent worker. */
export const LEASE_S = 20;

/** The `scale` section: a run with worker processes. The dataset does not depend on it. */
export const scaleConfigSchema = z.strictObject({
  database: key(
    z
      .string()
      .regex(/^postgres(?:ql)?:\/\//, 'postgres://USER@HOST/DATABASE')
      .refine((address) => URL.canParse(address), 'postgres://USER@HOST/DATABASE')
      .meta({ path: false, secret: true })
      .optional(),
    'PostgreSQL database that coordinator and workers share, its password in PGPASSWORD or ~/.pgpass; absent: one of its own on this machine, for the length of the run',
  ),
  workers: key(
    positiveInt.max(1_000).optional(),
    'Worker processes that the run starts on this machine; absent: with a database none, they are started with coa-distill workers join; without one 2',
  ),
  shard_tasks: key(
    positiveInt.max(4_096).optional(),
    'Tasks that a worker claims together; absent: as many as it works on at once, 8 to 256',
  ),
  lease_s: key(
    z.number().min(1).max(3_600).default(LEASE_S),
    'Seconds until others take over from a worker that is silent',
  ),
});
