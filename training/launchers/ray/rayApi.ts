import { z } from 'zod';

/** Ray's answer to `POST /api/jobs/`. https://docs.ray.io, Ray Jobs REST API */
export const raySubmittedSchema = z.object({ submission_id: z.string().min(1) });

/** Ray's answer to `GET /api/jobs/ID`, as far as it is read. */
export const rayJobSchema = z.object({
  status: z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  /** For people: why it waits or failed. */
  message: z.string().nullish(),
  /** The entry point's exit code; below 0 for a signal. Null where it never ran, or its machine was lost. */
  driver_exit_code: z.int().nullish(),
});
/** A job as Ray's API tells of it. */
export type RayJob = z.infer<typeof rayJobSchema>;
