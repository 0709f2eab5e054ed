import { Command, Option } from 'commander';
import { examples } from '../examples.ts';
import type { GrammarOptions } from '../printGrammar.ts';

/** `coa-distill grammar NAME`. */
export function grammarCommand(): Command {
  return new Command('grammar')
    .argument('[name]', 'a profile; without one, the names of all')
    .addOption(new Option('--mermaid', 'as a Mermaid state diagram').conflicts('json'))
    .option('--json', 'as the table itself')
    .option('--config <file>', 'configuration whose own profiles are known too; nothing else of it is read')
    .addHelpText(
      'after',
      examples([
        ['coa-distill grammar web', 'to read'],
        ['coa-distill grammar mine --config coa.yaml --mermaid', 'a profile of your own, to draw'],
      ]),
    )
    .action(async (name: string | undefined, options: GrammarOptions) => {
      const { printGrammar } = await import('../printGrammar.ts');
      await printGrammar(name, options);
    });
}
