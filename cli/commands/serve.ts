import { servedToolNames, toolFacts, toolFactsOf, toolNames } from '../../schemas/config/tools/toolFacts.ts';
import { trainingPresetNames } from '../../schemas/training/presets.ts';
import type { CommandFacts } from '../command.ts';
import { portNumber, repeated, wholeNumber } from '../optionParsers.ts';

const defaultPorts = servedToolNames.map((name) => `${name}=${toolFacts[name].port}`).join(', ');
const withoutSettings = toolNames.filter((name) => toolFactsOf(name).needsNoSettings);

export const commands: Readonly<Record<string, CommandFacts>> = {
  serve: {
    commands: {
      teacher: {
        description:
          'Serve a scripted teacher as an OpenAI-compatible endpoint on the loopback, until Ctrl-C',
        options: {
          '--script <file>': ['play a script (JSONL)', { required: true }],
          '--port <port>': ['port; 0 takes a free one', { parse: portNumber, default: 0 }],
          '--latency-ms <n>': ['wait before each answer', { parse: wholeNumber(0), default: 0 }],
          '--faults <spec>': 'faults to play, for instance 429=0.1,500=0.05',
          '--request-log <file>': 'write each request to a JSONL file',
        },
        examples: {
          'coa-distill serve teacher --script script.jsonl --port 8000': 'then run with --base-url',
          'coa-distill serve teacher --script script.jsonl --latency-ms 200': 'a slow one',
        },
        runs: async () => (await import('../serveTeacher.ts')).serveTeacher,
      },
      tools: {
        description: 'Serve tools over HTTP as Chain-of-Agents clients ask them, until Ctrl-C',
        arguments: { '[name...]': `${servedToolNames.join(', ')}; default: those that are configured` },
        options: {
          '--config <file>': 'configuration of the tools; default: ./coa.yaml',
          '--host <address>': 'address to listen at; default: 127.0.0.1',
          '--port <name=port>': [
            `port of one server, 0 takes a free one; default: ${defaultPorts}`,
            repeated,
          ],
        },
        examples: {
          'coa-distill serve tools --config coa.yaml': 'all tools that coa.yaml configures',
          'coa-distill serve tools wiki_search --port wiki_search=8080': 'one of them, at a port of your own',
          'curl -d \'{"queries": ["lighthouse"], "topk": 3}\' http://127.0.0.1:8000/retrieve':
            'asks the retrieval server',
        },
        runs: async () => (await import('../serveTools.ts')).serveTools,
      },
      mcp: {
        description: 'Offer the configured tools as a server of the Model Context Protocol',
        options: {
          '--config <file>': 'configuration of the tools; default: ./coa.yaml',
          '--port <number>': [
            'streamable HTTP at this port of 127.0.0.1, 0 takes a free one; default: stdio',
            { parse: portNumber },
          ],
        },
        examples: {
          'coa-distill serve mcp --config coa.yaml': 'on stdin and stdout, for a client that starts it',
          'coa-distill serve mcp --port 8765': 'at http://127.0.0.1:8765/mcp, until Ctrl-C',
        },
        runs: async () => (await import('../serveMcp.ts')).serveMcp,
      },
      rl: {
        description: 'Serve tools, judges and rewards to the agent loops of RL trainers, until Ctrl-C',
        arguments: {
          '<what>': 'a run (name or folder), its dataset folder, or a configuration (.yaml) with tasks',
        },
        options: {
          '--config <file>': "tools, judges and rewards in place of the run's own",
          '--preset <name>': [
            'limits of a published run, as train --preset',
            { choices: trainingPresetNames },
          ],
          '--host <address>': 'address to listen at; default: 127.0.0.1',
          '--port <number>': ['port, 0 takes a free one; default: 9100', { parse: portNumber }],
        },
        examples: {
          'coa-distill serve rl my-run': 'the tasks of a run, with its tools and judges',
          'COA_RL_TOKEN=... coa-distill serve rl coa.yaml --host 0.0.0.0': 'for nodes of a cluster',
          'coa-distill serve rl my-run --preset afm-mhqa-7b': 'with the limits of a published run',
          'curl http://127.0.0.1:9100/v1/status': 'what it did so far',
        },
        runs: async () => (await import('../serveRl.ts')).serveRl,
      },
    },
  },
  tools: {
    commands: {
      call: {
        description: 'Call one tool and print the observation that an agent would be shown',
        arguments: { '<name>': `${toolNames.join(', ')}, or a tool of tools.custom or tools.mcp` },
        options: {
          '--input <json>': [
            'the input as a JSON object; - reads it from standard input',
            { required: true },
          ],
          '--config <file>': `configuration of the tools; default: ./coa.yaml where there is one; ${withoutSettings.join(' and ')} need none, other tools their section tools.NAME`,
        },
        json: true,
        examples: {
          'coa-distill tools call code --input \'{"code": "print(6 * 7)"}\'': 'a program in the sandbox',
          'coa-distill tools call wiki_search --config coa.yaml --input \'{"query": "lighthouse"}\'':
            'passages',
          'coa-distill tools call web_search --config coa.yaml --input \'{"query": "lighthouse"}\'':
            'pages, from the provider and with the key of tools.web_search',
          'coa-distill tools call crawl_page --input \'{"urls": ["https://example.org"]}\'': 'a page as text',
        },
        runs: async () => (await import('../callTool.ts')).callTool,
      },
      index: {
        description: 'Build the index of a passage corpus for wiki_search',
        arguments: { '<corpus>': 'JSON lines {"id", "contents"}, contents = "Title"\\ntext; also .gz' },
        options: {
          '--out <file>': 'the index; default: beside the corpus, its name with .sqlite',
          '--dense':
            'add embeddings by the model of tools.wiki_search.dense; resumes a build that was interrupted',
          '--config <file>': 'configuration for --dense; default: ./coa.yaml',
        },
        examples: {
          'coa-distill tools index wiki-18.jsonl.gz --out wiki.sqlite': 'an index by words',
          'coa-distill tools index wiki-18.jsonl.gz --out wiki.sqlite --dense --config coa.yaml':
            'and by meaning',
        },
        runs: async () => (await import('../indexCorpus.ts')).indexCorpus,
      },
    },
  },
};
