import { z } from 'zod';
import { inputPattern, keyOf, positive, positiveInt } from './keyMeaning.ts';

const itKey = keyOf('export');

const mixedFileSchema = z
  .strictObject({
    file: itKey(
      inputPattern,
      'Rows of your own: chat messages, ShareGPT, alpaca, or tokens with labels or a loss mask; a file (JSONL, JSON, CSV, parquet, Arrow), a folder of such, or a pattern',
    ),
    share: itKey(
      z.number().gt(0).lt(1).optional(),
      'Share of these rows in the finished dataset; absent, and rows absent too: all rows of the file',
    ),
    rows: itKey(positiveInt.optional(), 'Number of rows that are drawn, instead of a share'),
    weight: itKey(positive.default(1), 'Loss weight of what these rows train'),
    profile: itKey(
      z.literal('none').default('none'),
      'none: ordinary chats, which no grammar of a profile applies to',
    ),
  })
  .refine(({ share, rows }) => share === undefined || rows === undefined, {
    error: 'share or rows, not both',
  });
export type MixedFile = z.infer<typeof mixedFileSchema>;

/** `dataset.mix`: the user's own rows mixed into the dataset. */
export const mixConfigSchema = z
  .array(mixedFileSchema)
  .min(1)
  .refine((files) => files.reduce((sum, { share = 0 }) => sum + share, 0) < 1, {
    error: 'shares that sum to less than 1: the rest is what the run makes',
  });
