import { z } from 'zod';

/** The label of a token that is not trained (PyTorch's `ignore_index`). */
export const ignoredLabel = -100;

/** A row of `tokenized/`: what LLaMA-Factory's `tokenized_path` and TRL take as they are. */
export const tokenizedRowSchema = z
  .strictObject({
    input_ids: z.array(z.int().nonnegative()).min(1),
    attention_mask: z.array(z.literal(1)),
    /** The id where the token is trained, {@link ignoredLabel} elsewhere. */
    labels: z.array(z.int().min(ignoredLabel)),
  })
  .refine(
    (row) =>
      row.attention_mask.length === row.input_ids.length &&
      row.labels.length === row.input_ids.length &&
      row.labels.every((label, at) => label === ignoredLabel || label === row.input_ids[at]),
    'expected three lists of one length, labels being ids or -100',
  );
