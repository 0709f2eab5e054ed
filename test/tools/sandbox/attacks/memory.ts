import { type Attack, python } from './attack.ts';

/** Programs that use more memory than the 512 MB of the sandbox, in all the ways of having memory. */
export const memory: readonly Attack[] = [
  {
    name: 'fills 1 GB in one process',
    program: python`
filled = b'x' * (1 << 30)
if filled[-1] == 120: succeeded()`,
  },
  {
    name: 'fills 900 MB in six processes, each below the limit',
    program: python`
children = [start(lambda: b'x' * (150 * MB)) for _ in range(6)]
try:
    if held(children): succeeded()
finally: end(children)`,
  },
  {
    name: 'fills 900 MB in processes that nobody may look into',
    program: python`
PR_SET_DUMPABLE = 4
check(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
children = [start(lambda: b'x' * (150 * MB)) for _ in range(6)]
try:
    if held(children): succeeded()
finally: end(children)`,
  },
  {
    name: 'fills 800 MB in processes that start each other',
    program: python`
# Each is a child of the one before. The next starts first: memory that it shares would count for its own limit.
reader, writer = os.pipe()
def chain(depth):
    os.setsid()
    is_last = depth == 8
    if not is_last and os.fork() == 0: chain(depth + 1)
    filled = b'x' * (100 * MB)
    if is_last:
        time.sleep(AFTER)
        os.write(writer, b'y')
    else: os.wait()
    os._exit(0)
if os.fork() == 0: chain(1)
os.close(writer)
if os.read(reader, 1) == b'y': succeeded()`,
  },
  {
    name: 'fills 900 MB of shared anonymous memory',
    program: python`
def share():
    memory = mmap.mmap(-1, 150 * MB)
    memory.write(b'x' * (150 * MB // 2))
    memory.write(b'x' * (150 * MB // 2))
    return memory
children = [start(share) for _ in range(6)]
try:
    if held(children): succeeded()
finally: end(children)`,
  },
  {
    name: 'fills 900 MB in files without a name',
    program: python`
block = b'x' * (15 * MB)
def fill():
    files = [os.memfd_create('f') for _ in range(30)]
    for file in files:
        if os.write(file, block) != len(block): os._exit(1)
    return files
children = [start(fill) for _ in range(2)]
try:
    if held(children): succeeded()
finally: end(children)`,
  },
  {
    name: 'fills 600 MB of System V shared memory that no process maps',
    program: python`
libc.shmat.restype = ctypes.c_void_p
IPC_PRIVATE, IPC_CREAT, IPC_RMID = 0, 0o1000, 0
segments = []
try:
    for _ in range(6):
        segment = syscall('shmget', IPC_PRIVATE, 100 * MB, IPC_CREAT | 0o600)
        segments.append(segment)
        address = libc.shmat(segment, None, 0)
        if address in (None, ctypes.c_void_p(-1).value): raise OSError('not mapped')
        ctypes.memset(address, 1, 100 * MB)
        libc.shmdt(ctypes.c_void_p(address))
    time.sleep(AFTER)
    succeeded()
finally:
    for segment in segments: syscall('shmctl', segment, IPC_RMID, 0)`,
  },
  {
    name: 'fills 600 MB of memory and of /tmp together',
    program: python`
# Each is allowed alone.
folder = '/tmp/' + OWN
os.mkdir(folder)
children = []
try:
    for n in range(4):
        with open(f'{folder}/{n}', 'wb') as file: file.write(b'x' * (12 * MB))
    children = [start(lambda: b'x' * (138 * MB)) for _ in range(4)]
    # The youngest process is one that has ended but is not waited for.
    if os.fork() == 0: os._exit(0)
    if held(children): succeeded()
finally:
    end(children)
    shutil.rmtree(folder)`,
  },
];
