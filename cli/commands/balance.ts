import { InvalidArgumentError, Option } from 'commander';
import type { BalanceDimension } from '../../schemas/config/balance.ts';
import { Command } from '../command.ts';
import { decimalNumber, wholeNumber } from '../optionParsers.ts';
import type { BalanceOptions } from '../standalone/balanceFiles.ts';
import { withProfile, withRowOptions } from '../standalone/rowOptions.ts';

/** Written here once more, since the schema that has them takes time to load. */
const dimensions: BalanceDimension[] = ['profile', 'source', 'difficulty', 'steps', 'length'];

export function balanceCommandLine(): Command {
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
    .action(async (files: string[], options: BalanceOptions) => {
      const { balanceFiles } = await import('../standalone/balanceFiles.ts');
      await balanceFiles(files, options);
    });
}

function groupedBy(text: string): BalanceDimension[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !dimensions.some((known) => known === name));
  if (unknown !== undefined || new Set(names).size < names.length)
    throw new InvalidArgumentError(`expected some of ${dimensions.join(',')}, each once`);
  return dimensions.filter((known) => names.includes(known));
}
