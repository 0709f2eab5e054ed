// Needs bubblewrap, python3, python3-numpy.
import { afterAll, describe, expect, test } from 'vitest';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';
import { seccompFilter } from '../../tools/sandbox/systemCallFilter.ts';

/** For each expression how it ended: `ok`, or the name of the error. */
function outcomes(expressions: readonly string[]): string {
  return `
import asyncio, concurrent.futures, ctypes, errno, fcntl, mmap, multiprocessing, os, select, shutil, signal, socket
import sqlite3, subprocess, tempfile, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) == -1: raise OSError(ctypes.get_errno(), '')
def numbered(x64, arm64): call({ 'x86_64': x64 }.get(os.uname().machine, arm64), 0, 0, 0, 0, 0, 0)
def buffer(): socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
def reuse(): socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
def pipe_size(): fcntl.fcntl(os.pipe()[1], 1031, 1 << 20)
def filter_socket(): socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, 26, bytes(16))
def own_lock(): fcntl.fcntl(open('f', 'w'), 37, bytes(32))
def map_huge(): mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
def control(option, *values): call({ 'x86_64': 157 }.get(os.uname().machine, 167), option, *values, 0, 0, 0)
def database():
    for journal in 'DELETE', 'WAL':
        with sqlite3.connect(journal) as base:
            base.execute('pragma journal_mode = ' + journal)
            base.execute('create table t (x)')
            base.executemany('insert into t values (?)', [(n,) for n in range(1000)])
        assert sqlite3.connect(journal).execute('select sum(x) from t').fetchone() == (499500,)
def copies():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree('/usr/share/python3', folder + '/copy', ignore_dangling_symlinks=True)
        shutil.copy2('main.py', folder)
        os.posix_fadvise(os.open('main.py', os.O_RDONLY), 0, 0, os.POSIX_FADV_SEQUENTIAL)
def interrupted():
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
def linear_algebra():
    import numpy
    assert numpy.linalg.inv(numpy.eye(300)).sum() == 300
def pools():
    for kind in concurrent.futures.ThreadPoolExecutor, concurrent.futures.ProcessPoolExecutor:
        with kind(2) as pool: assert list(pool.map(abs, [-1, -2])) == [1, 2]
async def streams():
    process = await asyncio.create_subprocess_exec('/usr/bin/cat', stdin=-1, stdout=-1)
    assert (await process.communicate(b'x' * 300_000))[0] == b'x' * 300_000
def thread():
    ran = threading.Thread(target=lambda: None)
    ran.start()
    ran.join()
def write():
    with open('f', 'w') as file: fcntl.lockf(file, fcntl.LOCK_EX)
for look in [${expressions.map((expression) => `lambda: ${expression}`).join(', ')}]:
    try:
        look()
        print('ok')
    except OSError as error: print(errno.errorcode[error.errno])`;
}

describe('the filter', () => {
  const sandbox = createBubblewrapSandbox({ timeoutMs: 20_000, concurrency: 1 });
  afterAll(() => sandbox.close());
  const examine = async (expressions: readonly string[]) => {
    const { stdout, stderr } = await sandbox.run(
      { code: outcomes(expressions), stdin: '' },
      new AbortController().signal,
    );
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };

  test('refuses what leads out, what others notice and memory in no process', async () => {
    const refused = [
      ['libc.unshare', 'EPERM', 'call({ "x86_64": 272 }.get(os.uname().machine, 97), 0x10000000)'],
      [
        'a process in a new namespace',
        'EPERM',
        'call({ "x86_64": 56 }.get(os.uname().machine, 220), 0x10000011, 0, 0, 0, 0)',
      ],
      ['keys', 'EPERM', 'numbered(250, 219)'],
      ['programs in the kernel', 'EPERM', 'numbered(321, 280)'],
      ['page faults of its own', 'EPERM', 'numbered(323, 282)'],
      ['performance counters', 'EPERM', 'numbered(298, 241)'],
      ['another root', 'EPERM', 'numbered(155, 41)'],
      ['a file system by the new interface', 'EPERM', 'numbered(430, 430)'],
      ['writing out the files of the host', 'EPERM', 'numbered(306, 267)'],
      ['pages moved between pipes', 'EPERM', 'numbered(275, 76)'],
      ['a policy of memory', 'EPERM', 'numbered(237, 235)'],
      ['a descriptor of another process', 'EPERM', 'numbered(438, 438)'],
      ['watches', 'EPERM', 'numbered(294, 26)'],
      ['clone3', 'ENOSYS', 'call(435, 0, 0)'],
      ['io_uring', 'EPERM', 'call(425, 1, 0)'],
      ['a file without a name', 'EPERM', 'os.memfd_create("x")'],
      ['shared memory without a file', 'EPERM', 'mmap.mmap(-1, 4096)'],
      ['an IPv4 socket', 'EAFNOSUPPORT', 'socket.socket(socket.AF_INET)'],
      ['an IPv6 socket', 'EAFNOSUPPORT', 'socket.socket(socket.AF_INET6)'],
      ['a vsock socket', 'EAFNOSUPPORT', 'socket.socket(40)'],
      ['a pair of other sockets', 'EAFNOSUPPORT', 'socket.socketpair(socket.AF_INET)'],
      ['a datagram socket', 'EAFNOSUPPORT', 'socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)'],
      ['a pair of datagram sockets', 'EAFNOSUPPORT', 'socket.socketpair(type=socket.SOCK_DGRAM)'],
      ['larger buffers', 'EPERM', 'buffer()'],
      ['a lock that others see', 'EPERM', 'fcntl.flock(os.open("/usr/bin/env", os.O_RDONLY), fcntl.LOCK_SH)'],
      [
        'a context for asynchronous input',
        'EPERM',
        'call({ "x86_64": 206 }.get(os.uname().machine, 0), 1, 0)',
      ],
      ['a timer of POSIX', 'EPERM', 'call({ "x86_64": 222 }.get(os.uname().machine, 107), 0, 0, 0)'],
      ['a filter of its own', 'EPERM', 'call({ "x86_64": 317 }.get(os.uname().machine, 277), 2, 0, 0)'],
      ['a filter by the old call', 'EINVAL', 'control(22, 1)'],
      ['a table of futexes', 'EINVAL', 'control(78, 1, 1 << 20)'],
      ['a name for a mapping', 'EINVAL', 'control(0x53564d41, 0)'],
      ['rules of Landlock', 'ENOSYS', 'call(444, 0, 0, 1)'],
      ['a call that Linux may get', 'ENOSYS', 'call(500)'],
      ['huge pages of the machine', 'EPERM', 'map_huge()'],
      ['a larger pipe', 'EPERM', 'pipe_size()'],
      ['a program for a socket', 'EPERM', 'filter_socket()'],
      ['a lock of an open file', 'EPERM', 'own_lock()'],
      ['notices', 'EPERM', 'fcntl.fcntl(os.open("/usr/bin", os.O_RDONLY), fcntl.F_NOTIFY, 1)'],
    ] as const;
    const got = await examine(refused.map(([, , expression]) => expression));
    expect(got.map((outcome, index) => [refused[index]![0], outcome])).toEqual(
      refused.map(([name, outcome]) => [name, outcome]),
    );
  });

  test('lets ordinary programs be', async () => {
    const allowed = [
      'thread()',
      'subprocess.run(["/usr/bin/true"], check=True)',
      'asyncio.run(asyncio.sleep(0))',
      'mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)',
      'reuse()',
      'write()',
      'multiprocessing.Pipe()',
      'os.urandom(8)',
      'database()',
      'copies()',
      'interrupted()',
      'linear_algebra()',
      'pools()',
      'asyncio.run(streams())',
      'select.epoll()',
      'control(15, b"name")',
    ];
    expect(await examine(allowed)).toEqual(allowed.map(() => 'ok'));
  });
});

test('a filter exists for the processors whose call numbers are listed, and for no others', () => {
  for (const architecture of ['x64', 'arm64']) {
    // Jumps are counted in a byte each, and a filter has 4096 instructions at most.
    const filter = seccompFilter(architecture)!;
    expect(filter.length % 8).toBe(0);
    expect(filter.length / 8).toBeLessThan(4096);
  }
  expect(seccompFilter('riscv64')).toBeUndefined();
});
