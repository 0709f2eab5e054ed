import { z } from 'zod';
import { stageCountsSchema } from './stageFile.ts';

const at = z.string().describe('ISO 8601');

/** One line of `events.jsonl`: what happened to the run, and when. */
export const eventLineSchema = z.discriminatedUnion('event', [
  z.object({ at, event: z.literal('run_started'), resumed: z.boolean(), pid: z.int() }),
  z.object({ at, event: z.literal('stage_discarded'), stage: z.string() }),
  z.object({ at, event: z.literal('stage_started'), stage: z.string(), owed: z.int().nullable() }),
  z.object({ at, event: z.literal('stage_finished'), stage: z.string(), counts: stageCountsSchema }),
  z.object({
    at,
    event: z.literal('run_ended'),
    outcome: z.enum(['finished', 'stopped', 'failed']),
    message: z.string().optional(),
  }),
]);
/** See {@link eventLineSchema}. */
export type EventLine = z.infer<typeof eventLineSchema>;
