import { InvalidArgumentError, Option } from 'commander';
import { readerNames } from '../../output/readers/datasetReader.ts';
import { Command } from '../command.ts';
import { threadsOption, wholeNumber } from '../optionParsers.ts';
import type { AuditCommandOptions } from '../runAudit.ts';

export function auditCommand(done: (exitCode: number) => void): Command {
  return new Command('audit')
    .argument('<dataset>', 'a run, a dataset folder, one of its formats, or a file or folder of rows')
    .option('--tokenizer <tokenizer>', "qwen2.5 or a tokenizer.json; default: the dataset's own, or qwen2.5")
    .option('--observation-tag <name>', "tag in which other people's rows have what tools wrote", tagName)
    .addOption(
      new Option('--with <trainer...>', "also run the trainer's own preprocessing and compare").choices(
        readerNames,
      ),
    )
    .option('--python <path>', 'Python of the trainers; default: ./.venv-*, then python3, whichever has them')
    .option('--json', 'print each finding, and at the end the totals, as a line of JSON')
    .addOption(threadsOption())
    .option('--sample <rows>', 'look into so many rows of each file only', wholeNumber(1))
    .examples(
      ['coa-distill audit quickstart', "all formats of a run's dataset"],
      ['coa-distill audit web_sft.json', "anyone's rows, for instance in AFM's layout"],
      ['coa-distill audit sft.json --observation-tag information', 'rows whose tools have another tag'],
      ['coa-distill audit quickstart --with trl', "compare with TRL's own preprocessing"],
    )
    .action(async (dataset: string, options: AuditCommandOptions) => {
      const { runAudit } = await import('../runAudit.ts');
      done(await runAudit(dataset, options));
    });
}

function tagName(text: string): string {
  if (/^[A-Za-z][\w-]*$/.test(text)) return text;
  throw new InvalidArgumentError('expected the name of a tag without its brackets, for instance information');
}
