import { sampleSchema } from './sample.ts';
import { taskSchema } from './task.ts';
import { traceSchema } from './trace.ts';
import { trajectorySchema } from './trajectory.ts';

/** The schema of each kind of record that passes from stage to stage. */
export const recordSchemas = {
  task: taskSchema,
  trace: traceSchema,
  trajectory: trajectorySchema,
  sample: sampleSchema,
} as const;
