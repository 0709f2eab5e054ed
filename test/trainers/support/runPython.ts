import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type LoadedModules, runLoaded } from './loadedPython.ts';

/** The environments that `make trainers` makes. */
export type TrainerEnvironment = 'llamafactory' | 'trainers' | 'mathverify' | 'inspect' | 'verifiers';

/** How a trainer is started. */
export interface PythonRun {
  readonly environment: TrainerEnvironment;
  /** A program of the environment's `bin` folder, `python` by default. */
  readonly program?: string;
  readonly args: readonly string[];
  /** Where it runs, and what it takes for its home: caches end up here. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Modules that its process has loaded already; see {@link runLoaded}. A Python of its own where absent. */
  readonly loaded?: LoadedModules;
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Path of one of the small programs in `test/trainers/python`. */
export function pythonScript(name: string): string {
  return path.join(root, 'test/trainers/python', name);
}

/** How a program ended. */
export interface PythonResult {
  readonly code: number | null;
  /** Standard output and standard error. */
  readonly output: string;
}

/**
 * Runs a program of a trainer's environment to its end, without a network, a GPU or anything of this process's own
 * environment.
 *
 * @throws Error when the environment is missing
 */
export async function tryPython(run: PythonRun): Promise<PythonResult> {
  const bin = path.join(root, `.venv-${run.environment}`, 'bin');
  const program = path.join(bin, run.program ?? 'python');
  if (!existsSync(program)) throw new Error(`.venv-${run.environment} is missing: run "make trainers" first`);
  const env = { ...sealedEnvironment(bin, run.folder), ...run.loaded?.env, ...run.env };
  const { folder, args, loaded } = run;
  if (loaded) return runLoaded({ python: program, loaded, args, folder, env });
  const child = spawn(program, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, output: `${stdout}\n${stderr}` };
}

/**
 * As {@link tryPython}, for programs that must end well; returns what they printed.
 *
 * @throws Error with the end of what the program printed
 */
export async function runPython(run: PythonRun): Promise<string> {
  const { code, output } = await tryPython(run);
  if (code === 0) return output;
  const name = [run.program ?? 'python', ...run.args].join(' ');
  throw new Error(`${name} in .venv-${run.environment} ended with ${code}:\n${output.slice(-6_000)}`);
}

/** What a program of a trainer's environment is started with: no network, no GPU, and nothing of this process's own. */
export function sealedEnvironment(bin: string, home: string): Record<string, string> {
  return {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    HF_HOME: path.join(home, 'huggingface'),
    TMPDIR: home,
    LANG: 'C.UTF-8',
    HF_HUB_OFFLINE: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    DO_NOT_TRACK: '1',
    AXOLOTL_DO_NOT_TRACK: '1',
    CUDA_VISIBLE_DEVICES: '',
    TOKENIZERS_PARALLELISM: 'false',
    // The same sums in the same order, whatever machine runs this.
    OMP_NUM_THREADS: '2',
  };
}
