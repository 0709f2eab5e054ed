import { z } from 'zod';

/** A row of `verl/sft.parquet`. verl masks `messages` by role only, so the exact mask stands beside them. */
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
     * 1 where the token itself is trained (verl shifts the mask), 0 elsewhere and for the first; with
     * `dataset.mask.tag_weights` the token's loss weight.
     */
    loss_mask: z.array(z.number().nonnegative()),
  })
  .refine((row) => row.loss_mask.length === row.input_ids.length, 'expected a mask as long as the ids')
  .refine((row) => row.loss_mask[0] === 0, 'expected 0 for the first token');
export type VerlSftRow = z.infer<typeof verlSftRowSchema>;
