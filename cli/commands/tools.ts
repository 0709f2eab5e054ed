import { Command } from 'commander';
import { toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { examples } from '../examples.ts';
import { indexCorpusCommand } from './indexCorpus.ts';
import { serveMcpCommand } from './serveMcp.ts';
import { serveToolsCommand } from './serveTools.ts';

/** `coa-distill tools`: call one, serve them over HTTP or as an MCP server, index a corpus. */
export function toolsCommand(done: (exitCode: number) => void): Command {
  const call = new Command('call')
    .description('Call one tool and print the observation that an agent would be shown')
    .argument('<name>', `${toolNames.join(', ')}, or a tool of tools.custom or tools.mcp`)
    .requiredOption('--input <json>', 'the input as a JSON object; - reads it from standard input')
    .option('--config <file>', 'configuration of the tools; default: ./coa.yaml where there is one')
    .option('--json', 'print observation and raw answer as JSON')
    .addHelpText(
      'after',
      examples([
        [`coa-distill tools call code --input '{"code": "print(6 * 7)"}'`, 'a program in the sandbox'],
        [
          `coa-distill tools call wiki_search --config coa.yaml --input '{"query": "lighthouse"}'`,
          'passages',
        ],
        [`coa-distill tools call crawl_page --input '{"urls": ["https://example.org"]}'`, 'a page as text'],
      ]),
    )
    .action(async (name: string, options: { input: string; config?: string; json?: true }) => {
      const { callTool } = await import('../callTool.ts');
      await callTool(name, options);
    });
  return new Command('tools')
    .description('The tools that agents call')
    .addCommand(call)
    .addCommand(indexCorpusCommand())
    .addCommand(serveToolsCommand(done))
    .addCommand(serveMcpCommand(done));
}
