/**
 * Process that runs one Python program in Pyodide: `node pyodideChild.ts run SNAPSHOT OFFSET`. It sends `ready` on
 * its IPC channel, receives the program there, and ends with it. `node pyodideChild.ts snapshot SNAPSHOT` writes the
 * snapshot that makes `run` start fast.
 */
import { constants, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { loadPyodide } from 'pyodide';

/** A program as sent by the parent. */
export interface PyodideJob {
  readonly code: string;
  readonly stdin: string;
}

/** Evaluates to a function that runs a program like `python3 /tmp/main.py`. */
const RUNNER = readFileSync(new URL('pyodide_runner.py', import.meta.url), 'utf8');

/** As in the bubblewrap sandbox: sets always print in the same order. */
const ENVIRONMENT = { HOME: '/tmp', LANG: 'C.UTF-8', PYTHONHASHSEED: '0' };
async function writeSnapshot(path: string): Promise<void> {
  const pyodide = await loadPyodide({ _makeSnapshot: true, env: ENVIRONMENT });
  writeFileSync(path, pyodide.makeMemorySnapshot());
}

async function serve(snapshotPath: string, offset: number): Promise<void> {
  const snapshot = readFileSync(snapshotPath).subarray(offset);
  const pyodide = await loadPyodide({ _loadSnapshot: snapshot, env: ENVIRONMENT });
  const run = pyodide.runPython(RUNNER) as (code: string) => number;
  process.once('message', ({ code, stdin }: PyodideJob) => {
    const writer = (descriptor: number) => (bytes: Uint8Array) => writeAll(descriptor, bytes);
    pyodide.setStdin({ read: reader(Buffer.from(stdin)) });
    pyodide.setStdout({ write: writer(1) });
    pyodide.setStderr({ write: writer(2) });
    process.exit(statusOf(() => run(code)));
  });
  process.send!('ready');
}

function statusOf(run: () => number): number {
  try {
    return run();
  } catch (error) {
    // os._exit() leaves WebAssembly by an exception with the status.
    const { status, stack } = error as { readonly status?: unknown; readonly stack?: string };
    if (typeof status === 'number') return status;
    writeAll(2, Buffer.from(`${stack}\n`));
    return 1;
  }
}

function reader(bytes: Buffer): (target: Uint8Array) => number {
  let at = 0;
  return (target) => {
    const part = bytes.subarray(at, at + target.length);
    target.set(part);
    at += part.length;
    return part.length;
  };
}

function writeAll(descriptor: number, bytes: Uint8Array): number {
  for (let at = 0; at < bytes.length; ) at += writeSome(descriptor, bytes.subarray(at));
  return bytes.length;
}

/** Writes as much as the pipe accepts, waiting while it is full. */
function writeSome(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    return 0;
  }
}

// Pyodide only asks for file flags; Node denies the binding to restricted processes.
Object.assign(process, { binding: () => ({ fs: constants }) });
const [, , mode, snapshotPath = '', offset] = process.argv;
if (mode === 'snapshot') await writeSnapshot(snapshotPath);
else await serve(snapshotPath, Number(offset));
