import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';
import { usageSchema } from './chat.ts';
import { dropReasonSchema } from './dropReasons.ts';
import { failureCauseSchema } from './failureCauses.ts';

/** A failure as it stands in ledgers and traces: attributed once, where it happened. */
export const stageFailureSchema = z.object({
  cause: failureCauseSchema,
  /** One readable line. Never holds a secret. */
  message: z.string(),
  /** True when the same work may succeed later. */
  retryable: z.boolean(),
  cut_short: z
    .literal(true)
    .optional()
    .describe('Of unscored: the model that judges could not be asked on, so nothing is known of the record'),
  /** What is needed to understand it: status codes, validation errors, the role that asked. For people alone. */
  evidence: jsonObjectSchema,
});
export type StageFailure = z.infer<typeof stageFailureSchema>;

/** What there is of an answer that was withheld, and what it was billed for; each where it is known. */
export const withheldPartsSchema = z.looseObject({
  finish_reason: z.string().nullish(),
  /** Its beginning. */
  content_start: z.string().nullish(),
  usage: usageSchema.optional(),
  /** In which words the model refused. */
  refusal: z.string().optional(),
  /** US dollars. */
  cost_usd: z.number().optional(),
});
export type WithheldParts = z.infer<typeof withheldPartsSchema>;

const named = {
  /** Place of the record among the stage's inputs, from 0. */
  index: z.int().nonnegative(),
  record_id: z.string(),
  task_id: z.string(),
  /** Which of the task's rollouts a line is about, from 0; absent for the first, and before there are any. */
  rollout: z.int().positive().optional(),
  /** The rollout of the task that this one is the second try of; absent for what is not a second try. */
  repairs: z.int().nonnegative().optional(),
};

/** One line of `<stage>/ledger.jsonl`: a record that did not leave the stage as emitted. */
export const ledgerEntrySchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('drop'),
    ...named,
    reason: dropReasonSchema,
    evidence: jsonObjectSchema,
  }),
  z.object({
    kind: z.literal('fail'),
    ...named,
    failure: stageFailureSchema,
    /** What had been done by then, for instance the trace up to the failure. */
    partial: jsonObjectSchema.optional(),
  }),
]);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
