import { Command } from '../command.ts';
import type { PushCommandOptions } from '../pushFromCommandLine.ts';

export function pushCommand(): Command {
  return new Command('push')
    .argument('<run>', 'name under runs/, or the run folder')
    .argument('<address>', 'hf:OWNER/NAME[@BRANCH]; made where it is not there')
    .option('--private', 'a repository that is made now is private')
    .option('--json', 'print the commit as JSON')
    .examples(['HF_TOKEN=hf_... coa-distill push my-run hf:my-lab/my-rows --private', ''])
    .action(async (run: string, address: string, options: PushCommandOptions) => {
      const { pushFromCommandLine } = await import('../pushFromCommandLine.ts');
      await pushFromCommandLine(run, address, options);
    });
}
