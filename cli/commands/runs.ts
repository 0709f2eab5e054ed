import { Command } from 'commander';
import { examples } from '../examples.ts';

export function runsCommand(): Command {
  return new Command('runs')
    .option('--json', 'print them as JSON')
    .addHelpText(
      'after',
      examples([
        ['coa-distill runs', ''],
        ['coa-distill runs --json', 'for programs'],
      ]),
    )
    .action(async (options: { json?: true }) => {
      const { listRuns } = await import('../listRuns.ts');
      await listRuns(options);
    });
}
