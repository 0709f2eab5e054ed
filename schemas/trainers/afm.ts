import { z } from 'zod';

/** A row of AFM's layout: alpaca columns, exactly these. The user turn is `instruction`, then `input` on a line of its own. */
export const afmRowSchema = z.strictObject({
  instruction: z.string().min(1),
  input: z.string(),
  /** The whole tagged trajectory. AFM's fork masks the observations by their tokens. */
  output: z.string().min(1),
});
export type AfmRow = z.infer<typeof afmRowSchema>;

/** `dataset_info.json` of LLaMA-Factory for alpaca rows; keys left out would become None, so all stand here. */
export const alpacaDatasetInfoSchema = z.record(
  z.string(),
  z.strictObject({
    file_name: z.string(),
    formatting: z.literal('alpaca'),
    columns: z.strictObject({
      prompt: z.literal('instruction'),
      query: z.literal('input'),
      response: z.literal('output'),
    }),
  }),
);
export type AlpacaDatasetInfo = z.infer<typeof alpacaDatasetInfoSchema>;
