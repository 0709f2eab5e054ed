import { Command } from '../command.ts';

export function workCommand(): Command {
  return new Command('work')
    .argument(
      '[url]',
      'postgres://USER@HOST/DB; the password comes from PGPASSWORD or ~/.pgpass; default: COA_DISTILL_DATABASE of the environment',
    )
    .option(
      '--once',
      'end with the first run, or after ten minutes without one; default: wait for the next until it is told to stop',
    )
    .examples(
      ['coa-distill work postgres://coa@db/coa', 'keys of endpoints come from the environment'],
      ['coa-distill work postgres://coa@db/coa --once', 'for a job of a scheduler'],
    )
    .action(async (url: string | undefined, { once = false }: { once?: boolean }) => {
      const { workFromCommandLine } = await import('../workFromCommandLine.ts');
      const { databaseOf } = await import('../workersFromCommandLine.ts');
      await workFromCommandLine(databaseOf(url), { once });
    });
}
