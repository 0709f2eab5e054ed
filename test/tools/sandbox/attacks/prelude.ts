import { python } from './attack.ts';

/** What the programs aim at; all of it belongs to the test. */
export interface Targets {
  /** A folder that everybody may write to, where the program is started without a sandbox. */
  readonly folder: string;
  /** A file in it. */
  readonly secretFile: string;
  /** A value in the environment of the process that starts the program, and of its victim. */
  readonly secretVariable: string;
  readonly hostName: string;
  /** Listening on the loopback. */
  readonly tcpPort: number;
  readonly udpPort: number;
  /** Answers every name with 127.0.0.1. */
  readonly dnsPort: number;
  /** The number by which Linux tells our network namespace from others. */
  readonly netnsCookie: string;
  /** A listening unix socket in the folder, and one in the abstract name space. */
  readonly socketFile: string;
  readonly socketName: string;
  /** Names what the neighbour owns: a program that runs all the time in another sandbox (or none). */
  readonly neighbour: string;
}

/** Modules that a program finds imported where it names them: all of them take longer than most attacks. */
const modules = ['glob', 'mmap', 'resource', 'select', 'shutil', 'socket', 'struct', 'subprocess', 'sys'];

/**
 * An attack with the Python that stands before it: `TARGETS`, `VICTIM` and `DRIVER` (process ids) and a few functions.
 *
 * @param afterSeconds how long attacks hold what they have, or outlast their time
 */
export function withPrelude(
  program: string,
  targets: Targets,
  { marker, afterSeconds }: { readonly marker: string; readonly afterSeconds: number },
): string {
  const named = modules.filter((name) => program.includes(`${name}.`));
  return python`
import ${['ctypes', 'os', 'signal', 'time', ...named].join(', ')}
TARGETS = ${JSON.stringify({ ...targets, marker })}
FOLDER, SECRET_FILE, MARKER = TARGETS['folder'], TARGETS['secretFile'], TARGETS['marker']
OWN = 'coa-' + MARKER
# Seconds after which a sandbox has done what it does, however busy the machine is.
AFTER = ${afterSeconds}
MB = 1 << 20
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = libc.ptrace.restype = ctypes.c_long
print('begun', flush=True)

def succeeded():
    print('SUCCEEDED', flush=True)

def check(result):
    if result == -1: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

SYSCALLS = {'clone': (56, 220), 'process_vm_readv': (310, 270)}  # x86_64, aarch64

def syscall(name, *arguments):
    number = SYSCALLS[name][os.uname().machine == 'aarch64']
    return check(libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]))

def try_all(actions):
    """Succeeds with the first action that raises nothing and returns something true."""
    for action in actions:
        try:
            if action(): return succeeded()
        except (OSError, ValueError): pass

def held(children):
    """Whether all children live on for so long after they all said that they have what they want."""
    ready = all(os.read(pipe, 1) == b'y' for _, pipe in children)
    if ready: time.sleep(AFTER)
    return ready and all(os.waitpid(pid, os.WNOHANG) == (0, 0) for pid, _ in children)

def start(work):
    """Forks a child that works, says so and waits to be killed."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            kept = work()
            os.write(writer, b'y')
            time.sleep(60)
        finally: os._exit(0)
    os.close(writer)
    return pid, reader

def end(children):
    for pid, _ in children:
        os.kill(pid, signal.SIGKILL)

def first_mapping(pid):
    """An address that the process can read."""
    return int(open(f'/proc/{pid}/maps').readline().split('-')[0], 16)
${program}`;
}
