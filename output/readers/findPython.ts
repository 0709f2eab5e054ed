import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/userError.ts';
import { type ReaderName, readerTable } from './readerTable.ts';

/**
 * The Pythons of several trainers. Looked for before anything else runs, which takes minutes.
 *
 * @param named for all of them; undefined: see {@link findPython}
 * @throws UserError that says what to install for the first that is missing
 */
export async function findPythons(
  trainers: readonly ReaderName[],
  named: string | undefined,
): Promise<ReadonlyMap<ReaderName, string>> {
  const found = new Map<ReaderName, string>();
  for (const trainer of trainers) found.set(trainer, await findPython(trainer, named));
  return found;
}

/**
 * The Python that can import a trainer: the named one, else those of `./.venv*`, else `python3`.
 *
 * @throws UserError that says what to install when there is none
 */
async function findPython(trainer: ReaderName, named: string | undefined): Promise<string> {
  const { module, package: name } = readerTable[trainer];
  const candidates = named === undefined ? candidatePythons() : [programPath(named)];
  for (const python of candidates) if (await canImport(python, module)) return python;
  const where =
    named === undefined ? 'neither a ./.venv* nor python3 has it' : `${named} can't import ${module}`;
  throw new UserError(
    `--with ${trainer}: ${where}; install it (pip install ${name}) or name the Python that has it with --python`,
  );
}

/** Trainers run in folders of their own. A name without a slash is looked up on the PATH. */
function programPath(named: string): string {
  return named.includes('/') ? path.resolve(named) : named;
}

/** Where trainers are looked for: the environments `./.venv*`, then the system's Python. */
export function candidatePythons(): string[] {
  const environments = readdirSync('.')
    .filter((name) => name.startsWith('.venv'))
    .sort()
    .map((name) => path.resolve(name, 'bin/python'))
    .filter((python) => existsSync(python));
  return [...environments, 'python3'];
}

/** Looks the module up without running it: importing a trainer takes ten seconds and more. */
async function canImport(python: string, module: string): Promise<boolean> {
  const look = `import importlib.util, sys; sys.exit(importlib.util.find_spec(${JSON.stringify(module)}) is None)`;
  const child = spawn(python, ['-I', '-c', look], { stdio: 'ignore', env: pythonEnvironment(python, '/') });
  // Rejects for a program that is not there.
  const ended = await once(child, 'close').catch(() => undefined);
  return ended?.[0] === 0;
}

/**
 * The environment of a trainer's program: no network of Hugging Face's, no accelerator, and nothing of this process's
 * own, whose variables may hold keys.
 *
 * @param home where caches end up
 */
export function pythonEnvironment(python: string, home: string): Record<string, string> {
  const own = path.isAbsolute(python) ? [path.dirname(python)] : [];
  return {
    PATH: [...own, process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'].join(path.delimiter),
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
  };
}
