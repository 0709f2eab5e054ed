import { z } from 'zod';
import { taskSchema } from '../task.ts';
import { traceSchema } from '../trace.ts';

/** The key under which our exporters put what the other format has no field for. */
export const OWN_KEY = 'coa_distill';

/** What an exported trace says of its task and rollout, so that importing it gives the same ones back. */
export const ownRunSchema = z.object({
  task: taskSchema,
  teacher: z.string(),
  final_answer: z.string(),
  rollout: traceSchema.shape.rollout,
  repairs: traceSchema.shape.repairs,
  member: traceSchema.shape.member,
});
export type OwnRun = z.infer<typeof ownRunSchema>;

/** What an export of ours says of its run; undefined for other systems' files. */
export function ownRunIn(fields: { readonly [key: string]: unknown } | null | undefined): OwnRun | undefined {
  const parsed = ownRunSchema.safeParse(fields?.[OWN_KEY]);
  return parsed.success ? parsed.data : undefined;
}
