import type { SandboxLimits } from '../../contract/sandbox.ts';

/** What the probing program tries to reach; all of it is there for whoever is not kept out. */
export interface ProbeTargets {
  /** A TCP port that listens on the loopback. */
  readonly port: number;
  /** An abstract unix socket that listens; it belongs to a network namespace too. */
  readonly socketName: string;
  /** A file that everybody may read. */
  readonly file: string;
  /** A process of ours. */
  readonly pid: number;
}

const MEGABYTE = 1024 * 1024;

/** Limits that probing programs run into soon. */
export const PROBE_LIMITS: Partial<SandboxLimits> = {
  cpuSeconds: 3,
  processes: 8,
  fileBytes: MEGABYTE,
  openFiles: 32,
  diskBytes: 4 * MEGABYTE,
};

/** Prints a JSON object: for each promise that is looked at from inside, what got through, or null. */
export function probeProgram({ port, socketName, file, pid }: ProbeTargets): string {
  return `
import ctypes, errno, glob, json, os, resource, socket

def network():
    for family, address in [(socket.AF_INET, ('127.0.0.1', ${port})), (socket.AF_UNIX, '\\0${socketName}')]:
        try:
            socket.socket(family).connect(address)
            return 'a socket of this machine was reached'
        except OSError: pass
    names = [line.split(':')[0].strip() for line in open('/proc/net/dev').readlines()[2:]]
    others = [name for name in names if name != 'lo']
    return f'there are network interfaces: {others}' if others else None

def host_files():
    for path in [${JSON.stringify(file)}, '/etc/passwd', '/root', '/home', '/var', '/run']:
        if os.path.exists(path): return f'{path} is there'
    for folder in ['/', '/usr', '/dev', '/usr/tmp']:
        try:
            open(folder + '/coa-probe', 'w').close()
            return f'{folder} can be written'
        except OSError: pass

def environment():
    known = {'PATH', 'HOME', 'LANG', 'PWD', 'PYTHONHASHSEED', 'OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS'}
    for path in glob.glob('/proc/[0-9]*/environ'):
        try: names = {entry.split('=')[0] for entry in open(path, errors='replace').read().split('\\0') if entry}
        except OSError: continue
        if names - known: return f'variables of others are there: {sorted(names - known)}'

def other_processes():
    seen = [name for name in os.listdir('/proc') if name.isdigit()]
    if len(seen) > 4: return f'{len(seen)} processes are in sight'
    if ${pid} > 100:
        try:
            os.kill(${pid}, 0)
            return 'a process of ours could be signalled'
        except OSError as error:
            if error.errno != errno.ESRCH: return 'a process of ours is in sight'

def kernel_calls():
    status = dict(line.split(':', 1) for line in open('/proc/self/status'))
    if int(status['CapEff'], 16): return 'there are capabilities'
    if status['NoNewPrivs'].strip() != '1': return 'set-uid programs have effect'
    if status['Seccomp'].strip() != '2': return 'no filter of system calls is on'
    if ctypes.CDLL(None).unshare(0x10000000) == 0: return 'a namespace could be made'

def process_count():
    children = []
    try:
        for _ in range(40):
            child = os.fork()
            if child == 0:
                import time
                time.sleep(10)
                os._exit(0)
            children.append(child)
        return '40 processes were started'
    except OSError: pass
    finally:
        for child in children: os.kill(child, 9)
        for child in children: os.waitpid(child, 0)

def file_size():
    try:
        with open('large', 'wb') as file: file.write(bytes(2 << 20))
        return 'a file of twice the limit was written'
    except OSError: pass
    finally: os.remove('large')

def disk():
    try:
        for n in range(16):
            with open(f'part{n}', 'wb') as file: file.write(bytes(900 << 10))
        return 'files of three times the limit were written'
    except OSError: pass
    finally:
        for path in glob.glob('part*'): os.remove(path)

def open_files():
    try:
        files = [open('/dev/null') for _ in range(100)]
        return '100 files were opened'
    except OSError: pass

def cpu():
    limit = resource.getrlimit(resource.RLIMIT_CPU)[0]
    return None if limit == ${PROBE_LIMITS.cpuSeconds} else f'RLIMIT_CPU is {limit}'

def found(look):
    try: return look()
    except Exception as error: return f'the look at it failed: {error!r}'

looks = [network, host_files, environment, other_processes, kernel_calls, process_count, file_size, disk, open_files, cpu]
print(json.dumps({look.__name__: found(look) for look in looks}))
`;
}

/** Limit of {@link MEMORY_PROGRAM}. */
export const MEMORY_PROBE_BYTES = 96 * MEGABYTE;

/** Processes that hold more together than each may; prints when nothing has stopped them. */
export const MEMORY_PROGRAM = `
import os, time
children = []
for _ in range(4):
    child = os.fork()
    if child == 0:
        held = bytearray(b'x') * (40 << 20)
        time.sleep(2)
        os._exit(0)
    children.append(child)
for child in children: os.waitpid(child, 0)
print('not stopped')
`;

/** Leaves a process that outlives it, known by the argument, and itself never ends. */
export function lingeringProgram(argument: string): string {
  return `
import subprocess, time
subprocess.Popen(['/usr/bin/sleep', '${argument}'], start_new_session=True)
time.sleep(1000)
`;
}

/** Never stops writing. */
export const WRITING_PROGRAM = `
import sys
while True: sys.stdout.write('x' * 10000)
`;
