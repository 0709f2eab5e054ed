import type { RootCommand } from '@bomb.sh/tab';
import { Command, renderExamples } from './command.ts';

const DESCRIPTION = 'Print a script that completes commands, options and runs in a shell';
const examples = {
  'source <(coa-distill complete zsh)': 'in ~/.zshrc',
  'source <(coa-distill complete bash)': 'in ~/.bashrc',
  'coa-distill complete fish > ~/.config/fish/completions/coa-distill.fish': '',
};

export function completionCommand(): Command {
  const shells = { '<shell>': 'zsh, bash, fish or powershell' };
  return new Command('complete', { description: DESCRIPTION, arguments: shells, examples });
}

/** Adds shell completion: `complete SHELL` prints the script, `complete -- WORD...` the candidates. */
export async function addCompletion(program: Command, argv: readonly string[]): Promise<void> {
  const { default: tab } = await import('@bomb.sh/tab/commander');
  const completion = tab(program);
  program.commands
    .find((command) => command.name() === 'complete')
    ?.description(DESCRIPTION)
    .addHelpText('after', renderExamples(examples));
  if (!argv.includes('--')) return;
  const { runNames } = await import('../pipeline/run/runNames.ts');
  completeRuns(completion, runNames());
}

/** Completes run arguments with those under `runs/`. */
function completeRuns(completion: RootCommand, runs: readonly string[]): void {
  for (const command of completion.commands.values()) {
    for (const [name, argument] of command.arguments) {
      if (!/^run(_[ab])?$/.test(name)) continue;
      argument.handler = (complete) => {
        for (const run of runs) complete(run, '');
      };
    }
  }
}
