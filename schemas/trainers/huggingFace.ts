import { z } from 'zod';
import { splitSchema } from '../manifest.ts';

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
export type TokenizedRow = z.infer<typeof tokenizedRowSchema>;

const listOf = (dtype: 'int32' | 'int8' | 'int64') =>
  z.strictObject({
    feature: z.strictObject({ dtype: z.literal(dtype), _type: z.literal('Value') }),
    /** Not `List`, which only `datasets` 4 and later know. */
    _type: z.literal('Sequence'),
  });

/** `dataset_info.json` of a folder that `datasets.load_from_disk` opens. */
export const savedDatasetInfoSchema = z.strictObject({
  features: z.strictObject({
    input_ids: listOf('int32'),
    attention_mask: listOf('int8'),
    labels: listOf('int64'),
  }),
});

/** `state.json` of such a folder. */
export const savedDatasetStateSchema = z.strictObject({
  _data_files: z.array(z.strictObject({ filename: z.string() })).min(1),
  _fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
  _format_columns: z.null(),
  _format_kwargs: z.strictObject({}),
  _format_type: z.null(),
  _output_all_columns: z.literal(false),
  _split: splitSchema,
});
export type SavedDatasetState = z.infer<typeof savedDatasetStateSchema>;

/** `dataset_dict.json` of a folder with a sub-folder a split. */
export const savedDatasetDictSchema = z.strictObject({
  splits: z.tuple([z.literal('train'), z.literal('validation')]),
});
export type SavedDatasetDict = z.infer<typeof savedDatasetDictSchema>;
