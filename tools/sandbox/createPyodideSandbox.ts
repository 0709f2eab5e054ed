import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKSUM_BYTES, recallBytes, rememberBytes, userCachePath } from '../../base/files/userCache.ts';
import { moduleBeside } from '../../base/moduleBeside.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import { PyodideInterpreter, type PyodideLimits } from './pyodideInterpreter.ts';
import { createSlots, DEFAULT_LIMITS } from './sandboxLimits.ts';
import { watchProgram } from './watchProgram.ts';

/** Limits of a Pyodide sandbox; memory and others have none. */
export interface PyodideOptions {
  readonly timeoutMs: number;
  /** Read of each output stream. */
  readonly outputBytes?: number;
  /** Programs run at once. */
  readonly concurrency: number;
}

/** Loading Python takes a second or two, on a busy machine much more. */
const SNAPSHOT_TIMEOUT_MS = 60_000;

/**
 * A sandbox that runs Python in WebAssembly, in processes without environment. It separates programs from each other
 * and from us, but a hostile one reaches the host and what runs after it: for trusted programs only.
 *
 * Every slot keeps an interpreter that has Python loaded, and puts it back as it was after a program. One that was cut
 * off, or can't be put back, is replaced. A program that is to be alone gets one of its own. Throws `RecordFailure` (`sandbox_unavailable`) when Pyodide can't be loaded.
 */
export async function createPyodideSandbox({
  timeoutMs,
  concurrency,
  outputBytes = DEFAULT_LIMITS.outputBytes,
}: PyodideOptions): Promise<Sandbox> {
  const snapshot = await openSnapshot();
  const slots = createSlots(concurrency);
  const warm = new Map<number, PyodideInterpreter>();
  const closing = new AbortController();
  const start = () =>
    new PyodideInterpreter(
      spawnNode(
        ['run', snapshot.file, String(snapshot.offset)],
        [...permissions, `--allow-fs-read=${snapshot.file}`],
      ),
    );

  async function runInSlot(
    program: SandboxProgram,
    slot: number,
    signal: AbortSignal,
  ): Promise<SandboxResult> {
    const limits = {
      timeoutMs: program.timeoutMs ?? timeoutMs,
      outputBytes: program.limits?.outputBytes ?? outputBytes,
      signal: AbortSignal.any([signal, closing.signal]),
    };
    if (program.isAlone) return runAlone(start(), program, limits);
    const interpreter = warm.get(slot) ?? start();
    warm.delete(slot);
    const result = await interpreter.run(program, limits);
    if (!closing.signal.aborted) warm.set(slot, interpreter.isReusable ? interpreter : start());
    return result;
  }

  return {
    name: 'pyodide',
    isolates: false,
    run: (program, signal) => slots.use((slot) => runInSlot(program, slot, signal), program, signal),
    close: async () => {
      closing.abort(new Error('the sandbox was closed'));
      await slots.drained();
      for (const interpreter of warm.values()) interpreter.kill();
      await snapshot.close();
    },
  };
}

async function runAlone(
  interpreter: PyodideInterpreter,
  program: SandboxProgram,
  limits: PyodideLimits,
): Promise<SandboxResult> {
  try {
    return await interpreter.run(program, limits);
  } finally {
    interpreter.kill();
  }
}

/** Python's memory once it is loaded, in a file after some bytes of something else. */
interface Snapshot {
  readonly file: string;
  readonly offset: number;
  /** Removes what only this sandbox needs. */
  close(): Promise<void>;
}

/** The snapshot that an earlier sandbox left; else one that is made now, which takes 3 s of CPU time. */
async function openSnapshot(): Promise<Snapshot> {
  const { version } = createRequire(import.meta.url)('pyodide/package.json') as { version: string };
  const name = `pyodide/${version}-${process.versions.v8}-${process.arch}.bin`;
  if (await recallBytes(name)) {
    return { file: userCachePath(name), offset: CHECKSUM_BYTES, close: async () => {} };
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'coa-distill-pyodide-'));
  const close = () => rm(folder, { recursive: true, force: true });
  try {
    const file = path.join(folder, 'snapshot.bin');
    await makeSnapshot(file);
    await rememberBytes(name, await readFile(file));
    return { file, offset: 0, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeSnapshot(file: string): Promise<void> {
  const child = spawnNode(['snapshot', file]);
  const { exitCode, stderr } = await watchProgram(child, {
    stdin: '',
    timeoutMs: SNAPSHOT_TIMEOUT_MS,
    outputBytes: DEFAULT_LIMITS.outputBytes,
    signal: new AbortController().signal,
    kill: () => child.kill('SIGKILL'),
  });
  if (exitCode !== 0) {
    const why = stderr.trim().split('\n').at(-1) || `status ${exitCode}`;
    throw new RecordFailure('sandbox_unavailable', `Pyodide failed: ${why}`, { sandbox: 'pyodide' });
  }
}

const CHILD = fileURLToPath(moduleBeside(import.meta.url, 'pyodideChild'));

/**
 * Node's own bounds for what a program reaches through `js`: files of ours but Pyodide's, other programs, threads. The
 * network and the memory of the process are still open to it.
 */
const permissions = [
  '--permission',
  `--allow-fs-read=${path.dirname(CHILD)}`,
  `--allow-fs-read=${path.dirname(createRequire(import.meta.url).resolve('pyodide/package.json'))}`,
];

/** Starts the child program with nothing of our environment. */
function spawnNode(args: readonly string[], options: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', ...options, CHILD, ...args], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: {},
  });
}
