import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Modules that a process has loaded before it is a program's. */
export interface LoadedModules {
  /** Such as `verl.trainer.sft_trainer`. */
  readonly modules: readonly string[];
  /** Variables that modules read when they load; programs have them, too. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A program for a Python that has modules loaded. */
interface LoadedProgram {
  readonly python: string;
  readonly loaded: LoadedModules;
  /** As for `python`: a script or `-m` and a module, and their arguments. */
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

interface LoadedPython {
  readonly key: string;
  readonly child: ChildProcess;
  readonly answers: Interface;
}

const forks = path.resolve(import.meta.dirname, '../python/forks.py');
/** One for each Python: whoever asks for other modules ends it. */
const running = new Map<string, LoadedPython>();
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs a program in a fork of a process that has its modules loaded: loading takes a trainer 6 to 10 s of CPU.
 *
 * @returns its exit status, negative for a signal, and what it printed
 */
export function runLoaded(program: LoadedProgram): Promise<{ code: number; output: string }> {
  const ended = turn.catch(() => {}).then(() => inFork(program));
  turn = ended;
  return ended;
}

async function inFork(program: LoadedProgram): Promise<{ code: number; output: string }> {
  const { args, folder, env } = program;
  const { child, answers } = await loadedPython(program);
  const output = path.join(folder, `printed-${Date.now()}.txt`);
  const ended = new AbortController();
  const settled = { signal: ended.signal };
  child.stdin!.write(`${JSON.stringify({ args, folder, env, output })}\n`);
  const [line] = (await Promise.race([
    once(answers, 'line', settled),
    once(child, 'exit', settled).then(([code, signal]) => {
      throw new Error(`the Python of ${args.join(' ')} ended with ${code ?? signal}`);
    }),
  ]).finally(() => ended.abort())) as [string];
  return { code: Number(line), output: await readFile(output, 'utf8') };
}

async function loadedPython({ python, loaded, env }: LoadedProgram): Promise<LoadedPython> {
  const key = JSON.stringify(loaded);
  const before = running.get(python);
  if (before?.key === key) return before;
  if (before) {
    before.child.stdin!.end();
    await once(before.child, 'exit');
    running.delete(python);
  }
  // Folders of tests go before it does; it removes this one.
  const home = mkdtempSync(path.join(tmpdir(), 'coa-python-'));
  const child = spawn(python, [forks, ...loaded.modules], {
    cwd: home,
    env: { ...env, HOME: home, HF_HOME: path.join(home, 'huggingface'), TMPDIR: home },
    stdio: ['pipe', 'inherit', 'inherit', 'pipe'],
  });
  const made = { key, child, answers: createInterface(child.stdio[3] as Readable) };
  running.set(python, made);
  return made;
}
