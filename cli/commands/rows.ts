import { InvalidArgumentError, Option } from 'commander';
import { stagesWhere } from '../../contract/stageTable.ts';
import type { BalanceDimension } from '../../schemas/config/balance.ts';
import { Command } from '../command.ts';
import { decimalNumber, gathered, wholeNumber } from '../optionParsers.ts';
import type { Shingle } from '../standalone/dedupFiles.ts';
import { questionsCommand, withProfile, withRowOptions } from '../standalone/rowOptions.ts';

/** `coa-distill filter RUN --set KEY=VALUE` and `coa-distill filter FILE... --out FILE`. */
export function filterCommand(): Command {
  const command = new Command('filter')
    .argument(
      '<what...>',
      'a run; or with --out files of rows, folders or patterns: alpaca, sharegpt or trajectories, - for JSONL from a pipe',
    )
    .option('--name <run>', 'with a run: name of the run that is made; default: RUN-2, RUN-3, ...')
    .addOption(
      new Option('--until <stage>', 'with a run: stop after this stage, before a dataset is written').choices(
        stagesWhere(({ decides, writes }) => decides && writes === 'trajectory'),
      ),
    );
  return withRowOptions(withProfile(command))
    .examples(
      [
        'coa-distill filter web --set filters.min_interactions.web=7',
        'what would stay, without a model call',
      ],
      [
        "coa-distill filter web --set 'dataset.formats=[tokenized]' --set dataset.mask.thinking=false",
        'the same records as another dataset, in a run of its own',
      ],
      ['coa-distill filter sft.json --out kept.json', 'rows of each profile by its own rules'],
      ['zcat sft.jsonl.gz | coa-distill filter - --out - --ledger why.jsonl', 'from pipe to pipe'],
    )
    .runs(async () => (await import('../filterFromCommandLine.ts')).filterFromCommandLine);
}

export function dedupCommand(): Command {
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
    .runs(async () => (await import('../standalone/dedupFiles.ts')).dedupFiles);
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

export function decontaminateCommand(): Command {
  const command = questionsCommand('decontaminate').option(
    '--against <path>',
    'a benchmark: a file of rows, a folder of such or a pattern; may be repeated',
    gathered,
  );
  return withRowOptions(command)
    .examples(
      ['coa-distill decontaminate sft.json --against math500.jsonl --out clean.json', ''],
      ['coa-distill decontaminate tasks.parquet --against benchmarks/ --column prompt --out clean.jsonl', ''],
      ['cat sft.jsonl | coa-distill decontaminate - --against aime.jsonl --out - --ledger hits.jsonl', ''],
    )
    .runs(async () => (await import('../standalone/decontaminateFiles.ts')).decontaminateFiles);
}

/** Written here once more, since the schema that has them takes time to load. */
const dimensions: BalanceDimension[] = ['profile', 'source', 'difficulty', 'steps', 'length'];

export function balanceCommand(): Command {
  const command = new Command('balance')
    .argument(
      '<file...>',
      'files of rows, folders or patterns: alpaca, sharegpt or trajectories; - for JSONL from a pipe',
    )
    .option('--by <dimensions>', `what makes a group, default profile: ${dimensions.join(', ')}`, groupedBy)
    .option('--cap <n>', 'most rows of each group', wholeNumber(0))
    .option(
      '--quota <share>',
      'largest share of each group in what is kept, above 0 and below 1',
      decimalNumber({ above: 0, below: 1 }),
    )
    .option('--temperature <t>', 'draw groups as n^(1/T), T from 1 up', decimalNumber({ min: 1 }))
    .addOption(
      new Option(
        '--how <what>',
        'with --temperature: drop rows of large groups, repeat those of small ones, or weigh',
      ).choices(['drop', 'repeat', 'weight']),
    );
  return withRowOptions(withProfile(command))
    .examples(
      [
        'coa-distill balance sft.jsonl --cap 5000 --by source,steps --out balanced.jsonl',
        'at most 5,000 rows of each',
      ],
      ['coa-distill balance a.parquet b.parquet --quota 0.4 --out c.jsonl', 'no profile is more than 40 %'],
      ['cat sft.jsonl | coa-distill balance - --temperature 2 --out -', 'from pipe to pipe'],
      [
        'coa-distill balance sft.jsonl --config coa.yaml --out balanced.jsonl',
        'by the rules in balance.rules',
      ],
    )
    .runs(async () => (await import('../standalone/balanceFiles.ts')).balanceFiles);
}

function groupedBy(text: string): BalanceDimension[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !dimensions.some((known) => known === name));
  if (unknown !== undefined || new Set(names).size < names.length)
    throw new InvalidArgumentError(`expected some of ${dimensions.join(',')}, each once`);
  return dimensions.filter((known) => names.includes(known));
}
