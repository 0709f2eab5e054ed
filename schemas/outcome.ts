import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';
import { dropReasonSchema } from './dropReasons.ts';
import { failureCauseSchema } from './failureCauses.ts';

/** A failure as it stands in ledgers and traces: attributed once, where it happened. */
export const stageFailureSchema = z.object({
  cause: failureCauseSchema,
  /** One readable line. Never holds a secret. */
  message: z.string(),
  /** True when the same work may succeed later. */
  retryable: z.boolean(),
  /** What is needed to understand it: status codes, validation errors, the role that asked. */
  evidence: jsonObjectSchema,
});
export type StageFailure = z.infer<typeof stageFailureSchema>;

/** Which of the task's rollouts a line is about, from 0; absent for the first, and before there are any. */
const rolloutSchema = z.int().positive().optional();
/** The rollout of the task that this one is the second try of; absent for what is no second try. */
const repairsSchema = z.int().nonnegative().optional();

/** One line of `<stage>/ledger.jsonl`: a record that did not leave the stage as emitted. */
export const ledgerEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('drop'),
    /** Place of the record among the stage's inputs, from 0. */
    index: z.int().nonnegative(),
    record_id: z.string(),
    task_id: z.string(),
    rollout: rolloutSchema,
    repairs: repairsSchema,
    reason: dropReasonSchema,
    evidence: jsonObjectSchema,
  }),
  z.object({
    kind: z.literal('fail'),
    index: z.int().nonnegative(),
    record_id: z.string(),
    task_id: z.string(),
    rollout: rolloutSchema,
    repairs: repairsSchema,
    failure: stageFailureSchema,
    /** What had been done by then, for instance the trace up to the failure. */
    partial: jsonObjectSchema.optional(),
  }),
]);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
