import { z } from 'zod';
import { ignoredLabel } from '../rows/tokens.ts';

/** A row of `tokenized/`, which LLaMA-Factory's `tokenized_path` and TRL accept unchanged. */
export const tokenizedRowSchema = z
  .strictObject({
    input_ids: z.array(z.int().nonnegative()).min(1),
    attention_mask: z.array(z.literal(1)),
    /** Id of a trained token, {@link ignoredLabel} otherwise. */
    labels: z.array(z.int().min(ignoredLabel)),
  })
  .refine(
    (row) =>
      row.attention_mask.length === row.input_ids.length &&
      row.labels.length === row.input_ids.length &&
      row.labels.every((label, at) => label === ignoredLabel || label === row.input_ids[at]),
    'expected three lists of one length, labels being ids or -100',
  );

/** A row of `verl/sft.parquet`. verl masks `messages` only by role, so the row includes the exact mask. */
export const verlSftRowSchema = z
  .strictObject({
    /** System, user and assistant turn; the assistant's is the whole trajectory, observations included. */
    messages: z.tuple([
      z.strictObject({ role: z.literal('system'), content: z.string() }),
      z.strictObject({ role: z.literal('user'), content: z.string() }),
      z.strictObject({ role: z.literal('assistant'), content: z.string().min(1) }),
    ]),
    input_ids: z.array(z.int().nonnegative()).min(1),
    /**
     * 1 if the token itself is trained (verl shifts the mask), 0 otherwise and for the first; with
     * `dataset.mask.tag_weights` the token's loss weight.
     */
    loss_mask: z.array(z.number().nonnegative()),
  })
  .refine((row) => row.loss_mask.length === row.input_ids.length, 'expected a mask as long as the ids')
  .refine((row) => row.loss_mask[0] === 0, 'expected 0 for the first token');
export type VerlSftRow = z.infer<typeof verlSftRowSchema>;
