import { servedToolNames, toolFacts, toolFactsOf, toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { Command } from '../command.ts';
import type { IndexCorpusOptions } from '../index/indexCorpus.ts';
import { gathered, portNumber } from '../optionParsers.ts';
import type { ServeMcpOptions } from '../serveMcp.ts';
import type { ServeToolsOptions } from '../serveTools.ts';

const withoutSettings = toolNames.filter((name) => toolFactsOf(name).needsNoSettings);
const defaultPorts = servedToolNames.map((name) => `${name}=${toolFacts[name].port}`).join(', ');

/** `coa-distill tools`: call one, serve them over HTTP or as an MCP server, index a corpus. */
export function toolsCommand(done: (exitCode: number) => void): Command {
  const call = new Command('call')
    .description('Call one tool and print the observation that an agent would be shown')
    .argument('<name>', `${toolNames.join(', ')}, or a tool of tools.custom or tools.mcp`)
    .requiredOption('--input <json>', 'the input as a JSON object; - reads it from standard input')
    .option(
      '--config <file>',
      `configuration of the tools; default: ./coa.yaml where there is one; ${withoutSettings.join(' and ')} need none, other tools their section tools.NAME`,
    )
    .option('--json', 'print observation and raw answer as JSON')
    .examples(
      [`coa-distill tools call code --input '{"code": "print(6 * 7)"}'`, 'a program in the sandbox'],
      [`coa-distill tools call wiki_search --config coa.yaml --input '{"query": "lighthouse"}'`, 'passages'],
      [
        `coa-distill tools call web_search --config coa.yaml --input '{"query": "lighthouse"}'`,
        'pages, from the provider and with the key of tools.web_search',
      ],
      [`coa-distill tools call crawl_page --input '{"urls": ["https://example.org"]}'`, 'a page as text'],
    )
    .action(async (name: string, options: { input: string; config?: string; json?: true }) => {
      const { callTool } = await import('../callTool.ts');
      await callTool(name, options);
    });
  return new Command('tools')
    .addCommand(call)
    .addCommand(indexCorpusCommand())
    .addCommand(serveToolsCommand(done))
    .addCommand(serveMcpCommand(done));
}

function indexCorpusCommand(): Command {
  return new Command('index')
    .description('Build the index of a passage corpus for wiki_search')
    .argument('<corpus>', 'JSON lines {"id", "contents"}, contents = "Title"\\ntext; also .gz')
    .option('--out <file>', 'the index; default: beside the corpus, its name with .sqlite')
    .option(
      '--dense',
      'add embeddings by the model of tools.wiki_search.dense; resumes a build that was interrupted',
    )
    .option('--config <file>', 'configuration for --dense; default: ./coa.yaml')
    .examples(
      ['coa-distill tools index wiki-18.jsonl.gz --out wiki.sqlite', 'an index by words'],
      [
        'coa-distill tools index wiki-18.jsonl.gz --out wiki.sqlite --dense --config coa.yaml',
        'and by meaning',
      ],
    )
    .action(async (corpus: string, options: IndexCorpusOptions) => {
      const { indexCorpus } = await import('../index/indexCorpus.ts');
      await indexCorpus(corpus, options);
    });
}

function serveToolsCommand(done: (exitCode: number) => void): Command {
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
    .examples(
      ['coa-distill tools serve --config coa.yaml', 'all tools that coa.yaml configures'],
      ['coa-distill tools serve wiki_search --port wiki_search=8080', 'one of them, at a port of your own'],
      [
        `curl -d '{"queries": ["lighthouse"], "topk": 3}' http://127.0.0.1:8000/retrieve`,
        'asks the retrieval server',
      ],
    )
    .action(async (names: string[], options: ServeToolsOptions) => {
      const { serveTools } = await import('../serveTools.ts');
      done(await serveTools(names, options));
    });
}

function serveMcpCommand(done: (exitCode: number) => void): Command {
  return new Command('mcp')
    .description('Offer the configured tools as a server of the Model Context Protocol')
    .option('--config <file>', 'configuration of the tools; default: ./coa.yaml')
    .option(
      '--port <number>',
      'streamable HTTP at this port of 127.0.0.1, 0 takes a free one; default: stdio',
      portNumber,
    )
    .examples(
      ['coa-distill tools mcp --config coa.yaml', 'on stdin and stdout, for a client that starts it'],
      ['coa-distill tools mcp --port 8765', 'at http://127.0.0.1:8765/mcp, until Ctrl-C'],
    )
    .action(async (options: ServeMcpOptions) => {
      const { serveMcp } = await import('../serveMcp.ts');
      done(await serveMcp(options));
    });
}
