import { Command } from '../command.ts';

export function statusCommand(done: (exitCode: number) => void): Command {
  return new Command('status')
    .argument('<run>', 'name under runs/, or the run folder')
    .option('--watch', 'show it again every two seconds until the run ends')
    .option('--json', 'print it as JSON; with --watch one line each time')
    .examples(
      ['coa-distill status quickstart', 'also while it runs'],
      ['coa-distill status quickstart --watch', 'from a second terminal'],
    )
    .action(async (name: string, options: { watch?: true; json?: true }) => {
      const { statusFromCommandLine } = await import('../statusFromCommandLine.ts');
      done(await statusFromCommandLine(name, options));
    });
}
