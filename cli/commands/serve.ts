import { Option } from 'commander';
import { servedToolNames, toolFacts } from '../../schemas/config/tools/toolFacts.ts';
import { trainingPresetNames } from '../../schemas/training/presets.ts';
import { Command } from '../command.ts';
import { gathered, portNumber, wholeNumber } from '../optionParsers.ts';

const defaultPorts = servedToolNames.map((name) => `${name}=${toolFacts[name].port}`).join(', ');

/** `coa-distill serve`: programs that others ask, until Ctrl-C. */
export function serveCommand(): Command {
  return new Command('serve')
    .addCommand(serveTeacherCommand())
    .addCommand(serveToolsCommand())
    .addCommand(serveMcpCommand())
    .addCommand(serveRlCommand());
}

function serveTeacherCommand(): Command {
  return new Command('teacher')
    .description('Serve a scripted teacher as an OpenAI-compatible endpoint on the loopback, until Ctrl-C')
    .option('--script <file>', 'play a script (JSONL)')
    .option('--answer-key <config>', 'play the known answers of the tasks of a configuration')
    .option('--port <port>', 'port; 0 takes a free one', portNumber, 0)
    .option('--latency-ms <n>', 'wait before each answer', wholeNumber(0), 0)
    .option('--faults <spec>', 'faults to play, for instance 429=0.1,500=0.05')
    .option('--request-log <file>', 'write each request to a JSONL file')
    .examples(
      ['coa-distill serve teacher --answer-key coa.yaml --port 8000', 'then run with --base-url'],
      ['coa-distill serve teacher --script script.jsonl --latency-ms 200', 'a slow one'],
    )
    .runs(async () => (await import('../serveTeacher.ts')).serveTeacher);
}

function serveToolsCommand(): Command {
  return new Command('tools')
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
      ['coa-distill serve tools --config coa.yaml', 'all tools that coa.yaml configures'],
      ['coa-distill serve tools wiki_search --port wiki_search=8080', 'one of them, at a port of your own'],
      [
        `curl -d '{"queries": ["lighthouse"], "topk": 3}' http://127.0.0.1:8000/retrieve`,
        'asks the retrieval server',
      ],
    )
    .runs(async () => (await import('../serveTools.ts')).serveTools);
}

function serveMcpCommand(): Command {
  return new Command('mcp')
    .description('Offer the configured tools as a server of the Model Context Protocol')
    .option('--config <file>', 'configuration of the tools; default: ./coa.yaml')
    .option(
      '--port <number>',
      'streamable HTTP at this port of 127.0.0.1, 0 takes a free one; default: stdio',
      portNumber,
    )
    .examples(
      ['coa-distill serve mcp --config coa.yaml', 'on stdin and stdout, for a client that starts it'],
      ['coa-distill serve mcp --port 8765', 'at http://127.0.0.1:8765/mcp, until Ctrl-C'],
    )
    .runs(async () => (await import('../serveMcp.ts')).serveMcp);
}

function serveRlCommand(): Command {
  return new Command('rl')
    .description('Serve tools, judges and rewards to the agent loops of RL trainers, until Ctrl-C')
    .argument('<what>', 'a run (name or folder), its dataset folder, or a configuration (.yaml) with tasks')
    .option('--config <file>', "tools, judges and rewards in place of the run's own")
    .addOption(
      new Option('--preset <name>', 'limits of a published run, as train --preset').choices(
        trainingPresetNames,
      ),
    )
    .option('--host <address>', 'address to listen at; default: rl.serve.host, or 127.0.0.1')
    .option('--port <number>', 'port, 0 takes a free one; default: rl.serve.port, or 9100', portNumber)
    .examples(
      ['coa-distill serve rl my-run', 'the tasks of a run, with its tools and judges'],
      ['COA_RL_TOKEN=... coa-distill serve rl coa.yaml --host 0.0.0.0', 'for nodes of a cluster'],
      ['coa-distill serve rl my-run --preset afm-mhqa-7b', 'with the limits of a published run'],
      ['curl http://127.0.0.1:9100/v1/status', 'what it did so far'],
    )
    .runs(async () => (await import('../serveRl.ts')).serveRl);
}
