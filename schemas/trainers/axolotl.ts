import { z } from 'zod';

/**
 * A row of `axolotl/segments/` for Axolotl's `type: input_output`: texts in order, each tokenised by itself without
 * added tokens, in the loss where its label is true.
 */
export const axolotlSegmentsRowSchema = z.strictObject({
  segments: z
    .array(z.strictObject({ label: z.boolean(), text: z.string().min(1) }))
    .min(2)
    .refine((segments) => segments.some(({ label }) => label), 'expected a segment that is trained')
    .refine(([first]) => first?.label === false, 'expected a beginning that is not trained'),
});
export type AxolotlSegmentsRow = z.infer<typeof axolotlSegmentsRowSchema>;
