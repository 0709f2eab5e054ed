import { Option } from 'commander';
import { Command } from '../command.ts';
import type { InitOptions } from '../init/runInit.ts';

export function initCommand(): Command {
  return new Command('init')
    .argument('[dir]', 'folder to write into; made where it is missing', '.')
    .addOption(
      new Option('--profile <name>', 'agent profile; in a terminal what is left out is asked').choices([
        'web',
        'mhqa',
        'code',
        'math',
      ]),
    )
    .option('--base-url <url>', "the teacher's endpoint; default: OpenAI's")
    .option('--model <model>', "the teacher's model")
    .option('--tasks <file>', 'your tasks; default: a sample is written')
    .option('--json', 'print folder and files as JSON')
    .examples(
      ['coa-distill init', 'in a terminal: asks for profile, endpoint and tasks'],
      ['coa-distill init --profile math', 'into this folder'],
      ['coa-distill init my-run --profile web', 'into a folder of its own'],
    )
    .action(async (folder: string, options: InitOptions) => {
      const { runInit } = await import('../init/runInit.ts');
      await runInit(folder, options);
    });
}
