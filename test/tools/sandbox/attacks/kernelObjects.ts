import { type Attack, python } from './attack.ts';

/** Maps a page of nothing, where it is told to. */
const mapping = python`
libc.mmap.restype = ctypes.c_void_p
FIXED, PRIVATE, ANONYMOUS, NORESERVE = 0x100000, 2, 0x20, 0x4000
def map_at(address, length, flags=0, protection=1):
    wanted = FIXED if address else 0
    got = libc.mmap(ctypes.c_void_p(address), ctypes.c_size_t(length), protection, wanted | flags | PRIVATE | ANONYMOUS, -1, ctypes.c_long(0))
    if got == ctypes.c_void_p(-1).value: raise OSError(ctypes.get_errno(), 'mmap')
    return got
`;

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
  {
    name: 'holds 4,000 locks',
    program: python`
import fcntl
files = [open(OWN + str(number), 'w') for number in range(40)]
for number in range(40): os.unlink(OWN + str(number))
for file in files:
    for at in range(100): fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * at)
time.sleep(AFTER)
succeeded()`,
  },
  {
    name: 'holds 1,200,000 mappings',
    program: python`${mapping}
def hold():
    pages = 30_000
    start = map_at(0, 2 * pages * 4096, NORESERVE, 0)
    for page in range(pages):
        check(libc.mprotect(ctypes.c_void_p(start + 2 * page * 4096), ctypes.c_size_t(4096), 1))
    return start
children = [start(hold) for _ in range(20)]
try:
    if held(children): succeeded()
finally: end(children)`,
  },
  {
    name: 'fills 600 MB with tables of pages',
    program: python`${mapping}
def hold():
    # Each page of nothing has a table of its own, and each gigabyte one of tables.
    for number in range(20_000): ctypes.string_at(map_at(0x100000000000 + (number << 30), 4096), 1)
children = [start(hold) for _ in range(4)]
try:
    if held(children): succeeded()
finally: end(children)`,
  },
  {
    name: 'sends 600 MB to connections that nobody takes',
    program: python`
listening = socket.socket(socket.AF_UNIX)
listening.bind('\0' + OWN)
listening.listen(4096)
for number in range(4000):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(listening.getsockname())
        client.setblocking(False)
        try:
            while True: client.send(b'x' * 65536)
        except BlockingIOError: pass
time.sleep(AFTER)
succeeded()`,
  },
];
