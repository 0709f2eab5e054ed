import { InvalidArgumentError, Option } from 'commander';
import type { Command } from '../command.ts';
import { decimalNumber } from '../optionParsers.ts';
import type { DedupFilesOptions, Shingle } from '../standalone/dedupFiles.ts';
import { questionsCommand, withRowOptions } from '../standalone/rowOptions.ts';

export function dedupCommandLine(): Command {
  const command = questionsCommand('dedup')
    .addOption(
      new Option('--of <what>', 'what is compared: questions, or questions and what the model wrote')
        .choices(['question', 'trajectory'])
        .default('question'),
    )
    .option(
      '--min-jaccard <share>',
      'least share of shingles that near duplicates have in common, of all shingles of the two, 0.3 to 1; default: 0.8',
      decimalNumber({ min: 0.3, max: 1 }),
    )
    .option(
      '--shingle <unit:size>',
      'a shingle: so many words or characters in a row, words:1 to words:50 or chars:1 to chars:50; default: chars:5 for questions, words:5 for trajectories',
      shingleOption,
    );
  return withRowOptions(command)
    .examples(
      ['coa-distill dedup sft.json --out unique.json', 'one row a question'],
      ['coa-distill dedup a.jsonl b.jsonl --of trajectory --out unique.jsonl', 'of both files together'],
      ['coa-distill dedup sft.json --shingle words:3 --out unique.json', 'compared by three words in a row'],
      ['cat sft.jsonl | coa-distill dedup - --min-jaccard 0.9 --out -', 'from pipe to pipe'],
    )
    .action(async (files: string[], options: DedupFilesOptions) => {
      const { dedupFiles } = await import('../standalone/dedupFiles.ts');
      await dedupFiles(files, options);
    });
}

/** Parses `words:5` and `chars:5`. */
function shingleOption(text: string): Shingle {
  const [, unit, size] = /^(words|chars):(\d{1,2})$/.exec(text) ?? [];
  if (Number(size) >= 1 && Number(size) <= 50)
    return { unit: unit === 'words' ? 'word' : 'character', size: Number(size) };
  throw new InvalidArgumentError(
    'expected words:SIZE or chars:SIZE with a size from 1 to 50, such as words:5',
  );
}
