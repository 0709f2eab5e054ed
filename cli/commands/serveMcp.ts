import { Command } from 'commander';
import { examples } from '../examples.ts';
import { portNumber } from '../optionParsers.ts';
import type { ServeMcpOptions } from '../serveMcp.ts';

/** `coa-distill tools mcp`. */
export function serveMcpCommand(done: (exitCode: number) => void): Command {
  return new Command('mcp')
    .description('Offer the configured tools as a server of the Model Context Protocol')
    .option('--config <file>', 'configuration of the tools; default: ./coa.yaml')
    .option(
      '--port <number>',
      'streamable HTTP at this port of 127.0.0.1, 0 takes a free one; default: stdio',
      portNumber,
    )
    .addHelpText(
      'after',
      examples([
        ['coa-distill tools mcp --config coa.yaml', 'on stdin and stdout, for a client that starts it'],
        ['coa-distill tools mcp --port 8765', 'at http://127.0.0.1:8765/mcp, until Ctrl-C'],
      ]),
    )
    .action(async (options: ServeMcpOptions) => {
      const { serveMcp } = await import('../serveMcp.ts');
      done(await serveMcp(options));
    });
}
