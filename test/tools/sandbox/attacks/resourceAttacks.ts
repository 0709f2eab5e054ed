import { attackTable, python } from './attack.ts';

/** Programs that use more memory than the 512 MB of the sandbox, in all the ways of having memory. */
export const memory = attackTable({
  'fills 1 GB in one process': python`
filled = b'x' * (1 << 30)
if filled[-1] == 120: succeeded()`,
  'fills 900 MB in six processes, each below the limit': python`
children = [start(lambda: b'x' * (150 * MB)) for _ in range(6)]
try:
    if held(children): succeeded()
finally: end(children)`,
  'fills 800 MB in processes that start each other': python`
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
  'fills 900 MB of shared anonymous memory': python`
def share():
    memory = mmap.mmap(-1, 150 * MB)
    memory.write(b'x' * (150 * MB // 2))
    memory.write(b'x' * (150 * MB // 2))
    return memory
children = [start(share) for _ in range(6)]
try:
    if held(children): succeeded()
finally: end(children)`,
  'fills 600 MB of memory and of /tmp together': python`
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
});

/** Programs that use more than their share of what the machine has. */
export const resources = attackTable({
  'starts 60 processes': python`
children = []
try:
    for _ in range(60):
        child = os.fork()
        if child == 0:
            time.sleep(5)
            os._exit(0)
        children.append((child, None))
    succeeded()
finally: end(children)`,
  'doubles itself': python`
# 64 processes, all alive at once. One that can't be forked is missing with all that it would have forked.
reader, writer = os.pipe()
counted, over = os.pipe()
first = os.getpid()
for more in (32, 16, 8, 4, 2, 1):
    try: os.fork()
    except OSError: os.write(writer, b'-' * more)
os.write(writer, b'x')
if os.getpid() != first:
    # Alive until all are counted.
    os.close(over)
    os.read(counted, 1)
    os._exit(0)
told = b''
while len(told) < 64: told += os.read(reader, 64)
if told == b'x' * 64: succeeded()`,
  'opens 300 files': python`
files = [open('/dev/null') for _ in range(300)]
succeeded()`,
  'writes a file of 40 MB': python`
path = '/tmp/' + OWN
try:
    with open(path, 'wb') as file:
        for _ in range(40): file.write(bytes(MB))
    succeeded()
finally: os.unlink(path)`,
  'fills /tmp with 300 MB': python`
folder = '/tmp/' + OWN
os.mkdir(folder)
try:
    for n in range(30):
        with open(f'{folder}/{n}', 'wb') as file: file.write(bytes(10 * MB))
    succeeded()
finally: shutil.rmtree(folder)`,
  // So many that a watch which is late, on a machine that does much else, still sees them in time.
  'makes 60,000 files': python`
folder = '/tmp/' + OWN
os.mkdir(folder)
here = os.open(folder, os.O_RDONLY)
try:
    for n in range(60_000): os.close(os.open(str(n), os.O_CREAT | os.O_WRONLY, dir_fd=here))
    succeeded()
finally: shutil.rmtree(folder)`,
});
