import { z } from 'zod';

/**
 * One line of `<stage>/records.jsonl`: an input that the stage let through. Lines stand in the order in which they
 * were finished; `index` gives the order of the input. `index` and `count` come first in the line, so that a file
 * can be indexed without parsing its records.
 */
export const recordLineSchema = z.object({
  /** Place of the input among the stage's inputs, from 0. */
  index: z.int().nonnegative(),
  /** Length of `records`. */
  count: z.int().nonnegative(),
  input_id: z.string(),
  task_id: z.string(),
  records: z.array(z.unknown()),
});
/** See {@link recordLineSchema}. */
export type RecordLine = z.infer<typeof recordLineSchema>;
