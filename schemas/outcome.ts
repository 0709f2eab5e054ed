import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';
import { usageSchema } from './chat.ts';
import { dropReasonSchema } from './dropReasons.ts';
import { failureCauseSchema } from './failureCauses.ts';

/** A failure in ledgers and traces, attributed where it happened. */
export const stageFailureSchema = z.object({
  cause: failureCauseSchema,
  /** One readable line without secrets. */
  message: z.string(),
  /** True if a retry may succeed later. */
  retryable: z.boolean(),
  cut_short: z
    .literal(true)
    .optional()
    .describe('Of unscored: the model that judges could not be asked on, so nothing is known of the record'),
  /** Details for diagnosis: status codes, validation errors, the asking role. For people only. */
  evidence: jsonObjectSchema,
});
export type StageFailure = z.infer<typeof stageFailureSchema>;

/** Partial content of a withheld answer, and its bill, if known. */
export const withheldPartsSchema = z.looseObject({
  finish_reason: z.string().nullish(),
  /** Start of the content. */
  content_start: z.string().nullish(),
  usage: usageSchema.optional(),
  /** Refusal text of the model. */
  refusal: z.string().optional(),
  cost_usd: z.number().optional(),
});
export type WithheldParts = z.infer<typeof withheldPartsSchema>;

const named = {
  /** Index of the record among the stage's inputs, from 0. */
  index: z.int().nonnegative(),
  record_id: z.string(),
  task_id: z.string(),
  /** Rollout number from 0; absent for the first, and before rollouts exist. */
  rollout: z.int().positive().optional(),
  /** Rollout of which this one is the second try; absent otherwise. */
  repairs: z.int().nonnegative().optional(),
};

/** One line of `<stage>/ledger.jsonl`: a record that the stage did not emit. */
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
    /** Progress so far, such as the trace up to the failure. */
    partial: jsonObjectSchema.optional(),
  }),
]);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;
