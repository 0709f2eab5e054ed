import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHECKSUM_BYTES, recallBytes, rememberBytes, userCachePath } from '../../base/files/userCache.ts';
import { moduleBeside } from '../../base/moduleBeside.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { PyodideJob } from './pyodideChild.ts';
import { createSlots, DEFAULT_LIMITS } from './sandboxLimits.ts';
import { type WatchOptions, watchProgram } from './watchProgram.ts';

export interface PyodideOptions {
  readonly timeoutMs: number;
  /** Maximum bytes read of each output stream. */
  readonly outputBytes?: number;
  /** Maximum concurrent programs. */
  readonly concurrency: number;
}

/** Timeout of loading Python, which takes a second or two, and much more on a busy machine. */
const SNAPSHOT_TIMEOUT_MS = 60_000;

/**
 * Sandbox that runs Python in WebAssembly, in processes without environment. It separates programs from each other
 * and from us, but a hostile one can reach the host and later programs: for trusted programs only.
 *
 * Every program has its own process; a slot prepares the next one with Python loaded. Throws `RecordFailure`
 * (`sandbox_unavailable`) if Pyodide cannot be loaded.
 */
export async function createPyodideSandbox({
  timeoutMs,
  concurrency,
  outputBytes = DEFAULT_LIMITS.outputBytes,
}: PyodideOptions): Promise<Sandbox> {
  const snapshot = await openSnapshot();
  const slots = createSlots(concurrency);
  const ready = new Map<number, Interpreter>();
  const closing = new AbortController();
  const start = () => startInterpreter(snapshot);

  async function runInSlot(
    program: SandboxProgram,
    slot: number,
    signal: AbortSignal,
  ): Promise<SandboxResult> {
    const interpreter = ready.get(slot) ?? start();
    ready.delete(slot);
    const limits = {
      timeoutMs: program.timeoutMs ?? timeoutMs,
      outputBytes: program.limits?.outputBytes ?? outputBytes,
      signal: AbortSignal.any([signal, closing.signal]),
    };
    const result = await runIn(interpreter, program, limits);
    if (!closing.signal.aborted) ready.set(slot, start());
    return result;
  }

  return {
    name: 'pyodide',
    isolates: false,
    run: (program, signal) => slots.use((slot) => runInSlot(program, slot, signal), program, signal),
    close: async () => {
      closing.abort(new Error('the sandbox was closed'));
      await slots.drained();
      for (const { child } of ready.values()) child.kill('SIGKILL');
      await snapshot.close();
    },
  };
}

/** A process that runs one program. */
interface Interpreter {
  readonly child: ChildProcess;
  /** Rejects if the process ends before Python is loaded. */
  readonly loaded: Promise<unknown>;
}

function startInterpreter({ file, offset }: Snapshot): Interpreter {
  const child = spawnNode(['run', file, String(offset)], [...permissions, `--allow-fs-read=${file}`]);
  const ended = once(child, 'exit').then(([status, signal]) => {
    throw unavailable(`its process ended with ${signal ?? `status ${status}`}`);
  });
  const loaded = Promise.race([once(child, 'message'), ended]);
  // The process may never be used; its users see the error.
  for (const promise of [ended, loaded]) promise.catch(() => {});
  return { child, loaded };
}

/** Runs a program; its time starts when Python is loaded. */
async function runIn(
  { child, loaded }: Interpreter,
  { code, stdin }: SandboxProgram,
  limits: Pick<WatchOptions, 'timeoutMs' | 'outputBytes' | 'signal'>,
): Promise<SandboxResult> {
  const kill = () => void child.kill('SIGKILL');
  limits.signal.addEventListener('abort', kill);
  try {
    if (limits.signal.aborted) kill();
    await loaded.catch((error) => {
      limits.signal.throwIfAborted();
      throw error;
    });
    const job: PyodideJob = { code, stdin };
    child.send(job, () => {});
    return await watchProgram(child, { ...limits, stdin: '', kill });
  } finally {
    limits.signal.removeEventListener('abort', kill);
  }
}

/** Python's memory after loading, in a file at an offset. */
interface Snapshot {
  readonly file: string;
  readonly offset: number;
  /** Removes files of this sandbox. */
  close(): Promise<void>;
}

/** Cached snapshot of an earlier sandbox, or a new one, which takes 3 s of CPU time. */
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
    throw unavailable(why);
  }
}

function unavailable(why: string): RecordFailure {
  return new RecordFailure('sandbox_unavailable', `Pyodide failed: ${why}`, { sandbox: 'pyodide' });
}

const CHILD = fileURLToPath(moduleBeside(import.meta.url, 'pyodideChild'));

/**
 * Node's permission limits for access through `js`: no files except Pyodide's, no other programs, no threads. The
 * network and the process's memory remain accessible.
 */
const permissions = [
  '--permission',
  `--allow-fs-read=${path.dirname(CHILD)}`,
  `--allow-fs-read=${path.dirname(createRequire(import.meta.url).resolve('pyodide/package.json'))}`,
];

/** Starts the child program with an empty environment. */
function spawnNode(args: readonly string[], options: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', ...options, CHILD, ...args], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: {},
  });
}
