import { Command } from '../command.ts';

export function runsCommand(): Command {
  return new Command('runs')
    .option('--json', 'print them as JSON')
    .examples(['coa-distill runs', ''], ['coa-distill runs --json', 'for programs'])
    .action(async (options: { json?: true }) => {
      const { listRuns } = await import('../listRuns.ts');
      await listRuns(options);
    });
}
