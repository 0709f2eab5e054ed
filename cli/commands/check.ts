import { InvalidArgumentError, Option } from 'commander';
import { readerNames } from '../../output/readers/readerTable.ts';
import { Command } from '../command.ts';
import { threadsOption, wholeNumber } from '../optionParsers.ts';

export function lintCommand(): Command {
  return new Command('lint')
    .argument('<path...>', 'dataset files, or folders that hold them')
    .option('--profile <name>', "profile of all rows; default: the row's own, or guessed from its tags")
    .option(
      '--config <file>',
      'configuration whose own profiles are known too, and nothing else of it is read; default: the run in whose dataset the files lie',
    )
    .option('--json', 'print each finding, and at the end the totals, as a line of JSON')
    .addOption(threadsOption())
    .examples(
      ['coa-distill lint sft.json', 'one line a finding, then how often each rule spoke'],
      ['coa-distill lint data/', 'every dataset file under a folder'],
    )
    .runs(async () => (await import('../runLint.ts')).runLint);
}

export function auditCommand(): Command {
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
    .runs(async () => (await import('../runAudit.ts')).runAudit);
}

function tagName(text: string): string {
  if (/^[A-Za-z][\w-]*$/.test(text)) return text;
  throw new InvalidArgumentError('expected the name of a tag without its brackets, for instance information');
}
