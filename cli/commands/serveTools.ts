import { Command } from 'commander';
import { servedToolNames, toolFacts } from '../../schemas/config/tools/toolFacts.ts';
import { examples } from '../examples.ts';
import { gathered } from '../optionParsers.ts';
import type { ServeToolsOptions } from '../serveTools.ts';

const defaultPorts = servedToolNames.map((name) => `${name}=${toolFacts[name].port}`).join(', ');

/** `coa-distill tools serve`. */
export function serveToolsCommand(done: (exitCode: number) => void): Command {
  return new Command('serve')
    .description('Serve tools over HTTP as Chain-of-Agents clients ask them, until Ctrl-C')
    .argument('[name...]', `${servedToolNames.join(', ')}; default: those that are configured`)
    .option('--config <file>', 'configuration of the tools; default: ./coa.yaml')
    .option('--host <address>', 'address to listen at; default: 127.0.0.1')
    .option(
      '--port <name=port>',
      `port of one server, 0 takes a free one; default: ${defaultPorts}`,
      gathered,
    )
    .addHelpText(
      'after',
      examples([
        ['coa-distill tools serve --config coa.yaml', 'all tools that coa.yaml configures'],
        ['coa-distill tools serve wiki_search --port wiki_search=8080', 'one of them, at a port of your own'],
        [
          `curl -d '{"queries": ["lighthouse"], "topk": 3}' http://127.0.0.1:8000/retrieve`,
          'asks the retrieval server',
        ],
      ]),
    )
    .action(async (names: string[], options: ServeToolsOptions) => {
      const { serveTools } = await import('../serveTools.ts');
      done(await serveTools(names, options));
    });
}
