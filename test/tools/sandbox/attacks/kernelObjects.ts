import { type Attack, python } from './attack.ts';

/** Programs that use more memory than they may, or what all programs of the machine share, as objects of the kernel. */
export const kernelObjects: readonly Attack[] = [
  {
    name: "takes of the machine's contexts for asynchronous input",
    program: python`
context = ctypes.c_ulong()
syscall('io_setup', 1, ctypes.byref(context))
syscall('io_destroy', context.value)
succeeded()`,
  },
  {
    name: "takes of the user's watches by the old call",
    program: python`
if os.uname().machine == 'aarch64': succeeded()
else: succeeded() if os.close(syscall('inotify_init')) is None else None`,
  },
  {
    name: 'makes timers that count as signals of the user',
    program: python`
for _ in range(1000): syscall('timer_create', 0, 0, ctypes.byref(ctypes.c_int()))
succeeded()`,
  },
  {
    name: 'takes 256 MB as a table of futexes',
    program: python`
PR_FUTEX_HASH, SET_SLOTS = 78, 1
if libc.prctl(PR_FUTEX_HASH, SET_SLOTS, ctypes.c_ulong(1 << 22), 0, 0) == 0: succeeded()`,
  },
  {
    name: 'makes rules of Landlock, each an object',
    program: python`
NET, RULE_NET_PORT = struct.pack('QQQ', 0, 1, 0), 2
rules = syscall('landlock_create_ruleset', NET, 16, 0)
for port in range(10_000): syscall('landlock_add_rule', rules, RULE_NET_PORT, struct.pack('QQ', 1, port), 0)
succeeded()`,
  },
  {
    name: 'sets filters of system calls of its own',
    program: python`
if syscall('seccomp', 2, 0, ctypes.create_string_buffer(8)) == 0: succeeded()`,
  },
  {
    name: 'gives pages of files to a policy of memory',
    program: python`
page = libc.mmap
page.restype = ctypes.c_void_p
address = page(None, ctypes.c_size_t(MB), 3, 0x22, -1, ctypes.c_long(0))
syscall('mbind', address, 4096, 0, 0, 0, 0)
succeeded()`,
  },
  {
    name: 'offers pages to be merged with those of others',
    program: python`
page = libc.mmap
page.restype = ctypes.c_void_p
address = page(None, ctypes.c_size_t(MB), 3, 0x22, -1, ctypes.c_long(0))
if libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(MB), 12) == 0: succeeded()`,
  },
  {
    name: "writes the host's files out",
    program: python`
syscall('syncfs', os.open('/usr/bin/env', os.O_RDONLY))
succeeded()`,
  },
  {
    name: 'makes pipes of a megabyte',
    program: python`
import fcntl
if fcntl.fcntl(os.pipe()[1], 1031, MB) == MB: succeeded()`,
  },
  {
    name: 'pins what a socket held in a pipe',
    program: python`
sender, receiver = socket.socketpair()
sender.send(b'x' * 32768)
if syscall('splice', receiver.fileno(), 0, os.pipe()[1], 0, 1, 0) == 1: succeeded()`,
  },
  {
    name: 'holds 4,000 locks of a file that no process owns',
    program: python`
import fcntl
F_OFD_SETLK, F_WRLCK = 37, 1
files = [open(OWN + str(number), 'w') for number in range(40)]
for number in range(40): os.unlink(OWN + str(number))
for file in files:
    for at in range(100): fcntl.fcntl(file, F_OFD_SETLK, struct.pack('hhqqi4x', F_WRLCK, 0, 2 * at, 1, 0))
time.sleep(AFTER)
succeeded()`,
  },
];
