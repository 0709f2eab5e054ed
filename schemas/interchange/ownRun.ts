import { z } from 'zod';
import { taskSchema } from '../task.ts';
import { traceSchema } from '../trace.ts';

/** Key of our exporters for fields that the other format lacks. */
export const OWN_KEY = 'coa_distill';

/** Task and rollout in an exported trace, so that importing restores them. */
export const ownRunSchema = z.object({
  task: taskSchema,
  teacher: z.string(),
  final_answer: z.string(),
  rollout: traceSchema.shape.rollout,
  repairs: traceSchema.shape.repairs,
  member: traceSchema.shape.member,
});
export type OwnRun = z.infer<typeof ownRunSchema>;

/** Run data in an export of ours; undefined for other systems' files. */
export function ownRunIn(fields: { readonly [key: string]: unknown } | null | undefined): OwnRun | undefined {
  const parsed = ownRunSchema.safeParse(fields?.[OWN_KEY]);
  return parsed.success ? parsed.data : undefined;
}
