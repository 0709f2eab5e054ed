import { Command } from '../command.ts';
import { threadsOption } from '../optionParsers.ts';
import type { LintCommandOptions } from '../runLint.ts';

export function lintCommand(done: (exitCode: number) => void): Command {
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
    .action(async (paths: string[], options: LintCommandOptions) => {
      const { runLint } = await import('../runLint.ts');
      done(await runLint(paths, options));
    });
}
