/**
 * A process that runs Python programs in Pyodide, one after another: `node pyodideChild.ts run SNAPSHOT OFFSET`. It says
 * `ready` on its IPC channel, gets a program there, writes the program's output to its own stdout and stderr, and says
 * how it ended. `node pyodideChild.ts snapshot SNAPSHOT` writes the snapshot that makes `run` start fast.
 */
import { constants, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { loadPyodide, type PyodideAPI } from 'pyodide';

/** A program as the parent sends it. */
export interface PyodideJob {
  readonly code: string;
  readonly stdin: string;
}

/** How a program ended. */
export interface PyodideEnd {
  readonly status: number;
  /** Bytes that it wrote on stdout and stderr: the streams may be read later than this. */
  readonly written: readonly [stdout: number, stderr: number];
  /** False where the program left the interpreter in a state that can't be put back: this process ends now. */
  readonly reusable: boolean;
}

/**
 * Runs `/tmp/main.py` as `python3 /tmp/main.py` does, without frames of ours in the traceback, and puts the interpreter
 * back as it was: modules and what they hold, the environment, the folder, files in /tmp. `restore` says whether the
 * standard streams are still ours.
 */
const RUNNER = `
def make():
    import atexit, contextvars, gc, os, shutil, sys, traceback
    ours = ('pyodide', '_pyodide', 'js')
    modules = {name: module for name, module in sys.modules.items() if not name.startswith(ours)}
    values = {name: dict(module.__dict__) for name, module in modules.items()}
    containers = [
        (value, type(value)(value))
        for held in values.values() for value in held.values()
        if type(value) in (list, dict, set) and value is not sys.modules
    ]
    builtin, names = modules['builtins'].__dict__, set(sys.modules)
    environment, folder = dict(os.environ), os.getcwd()
    streams = [(os.fstat(n).st_ino, os.fstat(n).st_rdev) for n in range(3)]
    limits = sys.getrecursionlimit(), sys.get_int_max_str_digits()

    def run(code):
        with open('/tmp/main.py', 'w', encoding='utf-8', errors='surrogatepass') as file:
            file.write(code)
        main = type(sys)('__main__')
        main.__file__ = '/tmp/main.py'
        sys.modules['__main__'] = main
        sys.argv = ['/tmp/main.py']
        # New ones: the old may hold input that the last program did not read. Output is buffered as CPython does for a
        # pipe; a crossing into JavaScript for every line would take a millisecond.
        for number, name in enumerate(('stdin', 'stdout', 'stderr')):
            old = values['sys'][name]
            stream = open(number, 'w' if number else 'r', encoding=old.encoding, errors=old.errors,
                          closefd=False, buffering=1 if number == 2 else -1)
            setattr(sys, name, stream)
            setattr(sys, f'__{name}__', stream)
        status = 0
        try:
            contextvars.copy_context().run(exec, compile(code, '/tmp/main.py', 'exec'), main.__dict__)
        except SystemExit as exit:
            status = exit.code
            if status is None:
                status = 0
            elif not isinstance(status, int):
                print(status, file=sys.stderr)
                status = 1
        except BaseException as error:
            frames = error.__traceback__.tb_next if error.__traceback__ else None
            traceback.print_exception(type(error), error, frames)
            status = 1
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        return status & 0xff

    def put_back(value, content):
        for extra in [key for key in value if key not in content]:
            value.remove(extra) if type(value) is set else value.pop(extra)
        value.update(content)

    def restore():
        sys.settrace(None)
        sys.setprofile(None)
        # What this needs itself comes first.
        builtin.update(values['builtins'])
        atexit._clear()
        for name in set(sys.modules) - names:
            del sys.modules[name]
        sys.modules.update(modules)
        for name, module in modules.items():
            put_back(module.__dict__, values[name])
        for value, content in containers:
            if type(value) is list:
                value[:] = content
            else:
                put_back(value, content)
        put_back(os.environ, environment)
        os.chdir(folder)
        sys.setrecursionlimit(limits[0])
        sys.set_int_max_str_digits(limits[1])
        sys.path_importer_cache.clear()
        for name in os.listdir('/tmp'):
            file = os.path.join('/tmp', name)
            shutil.rmtree(file) if os.path.isdir(file) and not os.path.islink(file) else os.remove(file)
        gc.collect()
        open_streams = [(os.fstat(n).st_ino, os.fstat(n).st_rdev) for n in range(3)]
        return open_streams == streams and not (sys.stdin.closed or sys.stdout.closed or sys.stderr.closed)

    return run, restore
make()
`;

/** As in the bubblewrap sandbox: sets print in the same order every time. */
const ENVIRONMENT = { HOME: '/tmp', LANG: 'C.UTF-8', PYTHONHASHSEED: '0' };
/** Of this process; WebAssembly's memory never shrinks. Above this, the next program gets a new process. */
const MAX_MEMORY_BYTES = 768 << 20;

interface Interpreter {
  readonly pyodide: PyodideAPI;
  readonly run: (code: string) => number;
  readonly restore: () => boolean;
}

async function writeSnapshot(path: string): Promise<void> {
  const pyodide = await loadPyodide({ _makeSnapshot: true, env: ENVIRONMENT });
  writeFileSync(path, pyodide.makeMemorySnapshot());
}

async function serve(snapshotPath: string, offset: number): Promise<void> {
  const snapshot = readFileSync(snapshotPath).subarray(offset);
  const pyodide = await loadPyodide({ _loadSnapshot: snapshot, env: ENVIRONMENT });
  const [run, restore] = pyodide.runPython(RUNNER) as [Interpreter['run'], Interpreter['restore']];
  process.on('message', (job: PyodideJob) => {
    const end = runProgram({ pyodide, run, restore }, job);
    process.send!(end, () => end.reusable || process.exit());
  });
  process.send!('ready');
}

function runProgram(interpreter: Interpreter, { code, stdin }: PyodideJob): PyodideEnd {
  const { pyodide, run } = interpreter;
  const written: [number, number] = [0, 0];
  const writer = (stream: 0 | 1) => (bytes: Uint8Array) => {
    written[stream] += bytes.length;
    return writeAll(stream + 1, bytes);
  };
  pyodide.setStdin({ read: reader(Buffer.from(stdin)) });
  pyodide.setStdout({ write: writer(0) });
  pyodide.setStderr({ write: writer(1) });
  try {
    const status = run(code);
    return { status, written, reusable: isReusable(interpreter) };
  } catch (error) {
    // os._exit() leaves WebAssembly by an exception that carries the status.
    const { status } = error as { status?: unknown };
    if (typeof status === 'number') return { status, written, reusable: false };
    writer(1)(Buffer.from(`${(error as Error).stack}\n`));
    return { status: 1, written, reusable: false };
  }
}

function isReusable({ restore }: Interpreter): boolean {
  try {
    return restore() && process.memoryUsage.rss() <= MAX_MEMORY_BYTES;
  } catch {
    return false;
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

/** Writes what the pipe takes; a full one is waited for. */
function writeSome(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    return 0;
  }
}

// Pyodide asks it for the flags of files alone; Node denies it where it bounds a process.
Object.assign(process, { binding: () => ({ fs: constants }) });
const [, , mode, snapshotPath = '', offset] = process.argv;
if (mode === 'snapshot') await writeSnapshot(snapshotPath);
else await serve(snapshotPath, Number(offset));
