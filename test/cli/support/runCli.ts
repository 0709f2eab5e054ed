import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { isFull } from '../../support/cases.ts';
import { runWarm } from './warmCli.ts';

/** The program as users start it. */
export const launcher = fileURLToPath(new URL('../../../bin/coa-distill.js', import.meta.url));

/** How a command ended. */
export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is started. */
export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** A program and arguments to start the command with, for instance a resource limit. */
  readonly through?: readonly string[];
  /** Another version of the program. */
  readonly launcher?: string;
  /** It needs a process of its own, for instance because it ends it. */
  readonly alone?: boolean;
}

/** Starts the command line as a process of its own, in an environment that holds no keys. */
export function startCli(args: readonly string[], options: CliOptions): ChildProcess {
  const { cwd, env, through = [], launcher: started = launcher } = options;
  const [program = process.execPath, ...rest] = [...through, process.execPath, started, ...args];
  return spawn(program, rest, {
    cwd,
    env: commandEnvironment(env),
  });
}

/** What a command is started with: no keys. */
function commandEnvironment(env: CliOptions['env']): Record<string, string> {
  const { PATH = '', XDG_CACHE_HOME } = process.env;
  return { PATH, NO_COLOR: '1', ...(XDG_CACHE_HOME && { XDG_CACHE_HOME }), ...env };
}

/**
 * Runs the command line to its end in a process that has the program loaded already, where the command needs nothing
 * else. In `make test-all` the first use of each command in a test file has a process of its own, as for a user.
 */
export async function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const { cwd, env, stdin, through, launcher: other, alone } = options;
  const isPlain = stdin === undefined && through === undefined && other === undefined && !args.includes('-');
  if (isPlain && !alone && !(isFull && isFirst(args)))
    return runWarm({ args, cwd, env: commandEnvironment(env) });
  const child = startCli(args, options);
  child.stdin?.end(options.stdin ?? '');
  return finished(child);
}

/** Runs a command that must end well. */
export async function runWell(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const result = await runCli(args, options);
  expect(result.code, result.stderr).toBe(0);
  return result;
}

/** Runs a command that must be refused: exit code 2, and a message with these words. */
export async function runRefused(
  args: readonly string[],
  options: CliOptions,
  words: RegExp | string,
): Promise<CliResult> {
  const result = await runCli(args, options);
  expect(result).toMatchObject({
    code: 2,
    stderr: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  });
  return result;
}

const begun = new Set<string>();

/** Whether this test file has not used the command before. */
function isFirst(args: readonly string[]): boolean {
  const use = `${expect.getState().testPath} ${args[0]}`;
  return begun.size < begun.add(use).size;
}

/** What a started command printed, and its exit code. */
export async function finished(child: ChildProcess): Promise<CliResult> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
