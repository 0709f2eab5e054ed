import { Command } from '../command.ts';
import { portNumber } from '../optionParsers.ts';
import type { ViewOptions } from '../viewFromCommandLine.ts';

export function viewCommand(done: (exitCode: number) => void): Command {
  return new Command('view')
    .argument(
      '[run_or_files...]',
      'runs, by name or folder, and files of rows; left out: every run under runs/',
    )
    .option('--port <port>', 'port on 127.0.0.1; 0 takes a free one', portNumber, 0)
    .option('--open', 'open the address in the browser')
    .option('--review', 'let the pages write reviews into the run, in the name of --author')
    .option('--author <name>', 'who reviews')
    .option('--rows <filter>', 'list the rows that a filter finds, as the page copies it, and end')
    .option('--export <folder>', 'write a static copy of the records, or of those that --rows finds, and end')
    .option('--tokens', 'with --export: also a page of the tokens of each record, with ids and labels')
    .option('--json', 'print the address, or the rows one a line, as JSON')
    .examples(
      ['coa-distill view', 'all runs, also while they run; prints an address for one browser'],
      ['coa-distill view quickstart --open', 'one run'],
      ['coa-distill view runs/quickstart/dataset/trajectories.jsonl', 'rows without a run'],
      ['coa-distill view quickstart --review --author ada', 'accept, reject, mark segments'],
      ["coa-distill view quickstart --rows 'reason=wrong_answer&sort=-tokens'", 'ids and questions'],
      ["coa-distill view quickstart --rows 'reason=wrong_answer' --export wrong", 'pages to pass on'],
    )
    .action(async (given: string[], options: ViewOptions) => {
      const { viewFromCommandLine } = await import('../viewFromCommandLine.ts');
      done(await viewFromCommandLine(given, options));
    });
}
