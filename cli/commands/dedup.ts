import { Command, Option } from 'commander';
import { examples } from '../examples.ts';
import { decimalNumber } from '../optionParsers.ts';
import type { DedupFilesOptions } from '../standalone/dedupFiles.ts';
import { withRowOptions } from '../standalone/rowOptions.ts';

/** `coa-distill dedup FILE... --out FILE`. */
export function dedupCommandLine(): Command {
  const command = new Command('dedup')
    .description('Keep one row of each cluster of exact and near duplicates in dataset files')
    .argument(
      '<file...>',
      'alpaca, sharegpt, trajectories or tasks in JSON, JSONL or parquet; - for JSONL from a pipe',
    )
    .addOption(
      new Option('--of <what>', 'what is compared: questions, or questions and what the model wrote')
        .choices(['question', 'trajectory'])
        .default('question'),
    )
    .option(
      '--min-jaccard <share>',
      'least similarity of near duplicates, 0.3 to 1; default: 0.8',
      decimalNumber({ min: 0.3, max: 1 }),
    )
    .option('--column <name>', 'where the question stands, dots reach into objects; default: by the layout');
  return withRowOptions(command)
    .addHelpText(
      'after',
      examples([
        ['coa-distill dedup sft.json --out unique.json', 'one row a question'],
        ['coa-distill dedup a.jsonl b.jsonl --of trajectory --out unique.jsonl', 'of both files together'],
        ['cat sft.jsonl | coa-distill dedup - --min-jaccard 0.9 --out -', 'from pipe to pipe'],
      ]),
    )
    .action(async (files: string[], options: DedupFilesOptions) => {
      const { dedupFiles } = await import('../standalone/dedupFiles.ts');
      await dedupFiles(files, options);
    });
}
