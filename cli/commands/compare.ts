import { Command } from '../command.ts';

export function compareCommand(): Command {
  return new Command('compare')
    .argument('<run_a>', 'name under runs/, or the run folder')
    .argument('<run_b>', 'likewise')
    .option('--json', 'print it as JSON, with every record that ended otherwise')
    .examples(['coa-distill compare coa coa-2', 'after coa-distill filter coa --set ...'])
    .action(async (a: string, b: string, options: { json?: true }) => {
      const { compareFromCommandLine } = await import('../compareFromCommandLine.ts');
      await compareFromCommandLine(a, b, options);
    });
}
