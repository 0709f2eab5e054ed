import { z } from 'zod';
import { taskPresetNames } from '../tasks/taskLayouts.ts';
import { inputPath, keyOf, plainText } from './keyMeaning.ts';

const itKey = keyOf('decontaminate');

export const benchmarkConfigSchema = z.strictObject({
  path: itKey(
    inputPath,
    'The benchmark: a file of rows (JSONL, JSON, CSV, parquet, Arrow), or a folder of such files at any depth',
  ),
  name: itKey(plainText.min(1).optional(), "Name of the benchmark in evidence; absent: the path's last part"),
  preset: itKey(
    z.enum(taskPresetNames).optional(),
    'Column layout of the files, as in tasks.sources; absent: the layout that their columns fit',
  ),
  columns: z
    .strictObject({
      question: itKey(
        plainText.optional(),
        "Column of the question, or a template of several columns such as '{Body} {Question}'; dots reach into objects and lists",
      ),
      context: itKey(
        plainText.optional(),
        "Column of a text that stands before the question, such as a passage, or a template of several columns such as '{title}: {passage}'",
      ),
      ignore: itKey(
        z.array(plainText).optional(),
        'Columns with long text that questions are to be read without',
      ),
      canary: itKey(
        plainText.optional(),
        'Column of the text that the question is encrypted with, as in BrowseComp and xbench; absent: the column canary where there is one and the question is Base64',
      ),
    })
    .prefault({})
    .describe('Column names where they differ from the preset'),
});
export type BenchmarkConfig = z.infer<typeof benchmarkConfigSchema>;

/** The `decontaminate` section: benchmarks to exclude from the tasks. */
export const decontaminateConfigSchema = z.strictObject({
  benchmarks: z
    .array(benchmarkConfigSchema)
    .default([])
    .describe('Benchmarks that no task may come from; none: nothing is looked for'),
});
export type DecontaminateConfig = z.infer<typeof decontaminateConfigSchema>;
