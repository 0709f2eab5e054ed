import { afterAll, describe, expect, test } from 'vitest';
import { kafelPolicy } from '../../tools/sandbox/seccomp/kafelPolicy.ts';
import { seccompFilter } from '../../tools/sandbox/seccomp/seccompFilter.ts';
import { isolatingSandboxes } from './support/isolatingSandboxes.ts';

/** For each expression how it ended: `ok`, or the name of the error. */
function outcomes(expressions: readonly string[]): string {
  return `
import asyncio, ctypes, errno, fcntl, mmap, multiprocessing, os, socket, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) == -1: raise OSError(ctypes.get_errno(), '')
def buffer(): socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
def reuse(): socket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
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

describe.each(isolatingSandboxes)('the filter of %s', (_name, create) => {
  const sandbox = create({ timeoutMs: 20_000, concurrency: 1 });
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
    ];
    expect(await examine(allowed)).toEqual(allowed.map(() => 'ok'));
  });
});

test('both forms are there for the processors that have numbers, and for no others', () => {
  for (const architecture of ['x64', 'arm64']) {
    // Jumps are counted in a byte each, and a filter has 4096 instructions at most.
    const filter = seccompFilter(architecture)!;
    expect(filter.length % 8).toBe(0);
    expect(filter.length / 8).toBeLessThan(4096);
    expect(kafelPolicy(architecture)).toMatch(/^POLICY refused \{ .* \} USE refused DEFAULT ALLOW$/);
  }
  expect([seccompFilter('riscv64'), kafelPolicy('riscv64')]).toEqual([undefined, undefined]);
});
