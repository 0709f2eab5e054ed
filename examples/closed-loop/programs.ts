import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, renameSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Where the examples of the closed loop lie. */
export const here = import.meta.dirname;
const root = path.join(here, '../..');

/** Everything is written under it. */
export const folder = path.resolve(process.argv[2] ?? 'closed-loop');

const pythonOf = (variable: string, environment: string) =>
  process.env[variable] ?? path.join(root, environment, 'bin/python');

/** Python of LLaMA-Factory: COA_CLOSED_LOOP_TRAINER, or that of `make trainers`. */
export const trainer = pythonOf('COA_CLOSED_LOOP_TRAINER', '.venv-llamafactory');
/** Python of `transformers serve`: COA_CLOSED_LOOP_PYTHON, or that of `make trainers`. */
export const python = pythonOf('COA_CLOSED_LOOP_PYTHON', '.venv-trainers');

/**
 * Arms that are trained and played at once, each with its share of the cores. A model this small reads its weights once
 * a token: two threads are hardly faster than one, and wait for each other where the machine is loaded.
 */
export const LANES = 2;
const threads = Math.max(1, Math.floor(availableParallelism() / LANES));

interface StartOptions {
  /** Exit code, or those that are taken; default 0. */
  readonly expected?: number | readonly number[];
  /** File for what it prints, instead of the terminal. */
  readonly to?: string;
  /** The arm that it works for, which stands before its lines: two arms print at once. */
  readonly of?: string;
}

/** Starts a program in the folder and waits; throws where it exits with something else than `expected`. */
export async function start(argv: readonly string[], options: StartOptions = {}): Promise<void> {
  const [program, ...args] = argv as [string, ...string[]];
  const say = (line: string) =>
    console.log(options.of === undefined ? line : `${options.of.padEnd(9)} ${line}`);
  say(`$ ${argv.map((word) => (word.startsWith(root) ? path.relative(folder, word) : word)).join(' ')}`);
  const to = options.to === undefined ? undefined : path.join(folder, options.to);
  // The other arm reads what is there: only a whole file has its name.
  const file = to === undefined ? undefined : openSync(`${to}.part`, 'w');
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', file ?? 'pipe', 'pipe'],
    // Threads that wait for each other must not take the core that the other needs.
    env: {
      ...process.env,
      HF_HUB_OFFLINE: '1',
      PYTHON: python,
      OMP_NUM_THREADS: String(threads),
      OMP_WAIT_POLICY: 'passive',
      PYTHONPATH: path.join(folder, 'packages'),
    },
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', say);
  const [code] = (await once(child, 'close')) as [number | null];
  if (file !== undefined) closeSync(file);
  if (![options.expected ?? 0].flat().includes(code!))
    throw new Error(`${argv.join(' ')}: exit code ${code}`);
  if (to !== undefined) renameSync(`${to}.part`, to);
}

/** Starts a command of coa-distill. */
export const coa = (args: readonly string[], options: StartOptions = {}) =>
  start([process.execPath, path.join(root, 'bin/coa-distill.js'), ...args], options);
