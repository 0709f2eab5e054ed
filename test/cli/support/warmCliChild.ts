/** A process that runs one command of the command line after the other, with the modules loaded once. */
import { main } from '../../../cli/main.ts';
import type { CliResult } from './runCli.ts';
import type { WarmCommand } from './warmCli.ts';

const streams = ['stdout', 'stderr'] as const;
const signals = ['SIGINT', 'SIGTERM'] as const;

process.on('message', async (command: WarmCommand) => {
  const written = { stdout: '', stderr: '' };
  for (const name of streams) {
    process[name].write = ((chunk: string | Uint8Array) => {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    }) as typeof process.stdout.write;
  }
  process.chdir(command.cwd);
  for (const key of Object.keys(process.env)) delete process.env[key];
  Object.assign(process.env, command.env);
  const code = await main([...command.args]);
  forgetCommand();
  process.send!({ ...written, code } satisfies CliResult);
});

process.on('disconnect', () => process.exit());

/** What a process's end would take along. */
function forgetCommand(): void {
  process.exitCode = undefined;
  for (const signal of signals) process.removeAllListeners(signal);
  for (const name of streams) process[name].removeAllListeners('error');
}
