import { toolFactsOf, toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { Command } from '../command.ts';

const withoutSettings = toolNames.filter((name) => toolFactsOf(name).needsNoSettings);

/** `coa-distill tools`: call one, index a corpus. */
export function toolsCommand(): Command {
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
    .runs(async () => (await import('../callTool.ts')).callTool);
  return new Command('tools').addCommand(call).addCommand(indexCorpusCommand());
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
    .runs(async () => (await import('../index/indexCorpus.ts')).indexCorpus);
}
