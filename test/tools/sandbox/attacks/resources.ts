import { type Attack, python } from './attack.ts';

/** So many that a watch which is late, on a machine that does much else, still sees them in time. */
const MANY_FILES = python`
folder = '/tmp/' + OWN
os.mkdir(folder)
here = os.open(folder, os.O_RDONLY)
try:
    for n in range(60_000): os.close(os.open(str(n), os.O_CREAT | os.O_WRONLY, dir_fd=here))
    succeeded()
finally: shutil.rmtree(folder)`;

/** Programs that use more than their share of what the machine has. */
export const resources: readonly Attack[] = [
  {
    name: 'starts 60 processes',
    program: python`
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
  },
  {
    name: 'starts 60 threads',
    program: python`
import threading
threading.stack_size(1 << 16)
done = threading.Event()
try:
    for _ in range(60): threading.Thread(target=done.wait, daemon=True).start()
    succeeded()
finally: done.set()`,
  },
  {
    name: 'doubles itself',
    program: python`
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
  },
  {
    name: 'opens 300 files',
    program: python`
files = [open('/dev/null') for _ in range(300)]
succeeded()`,
  },
  {
    name: 'opens 300 sockets',
    program: python`
pairs = [socket.socketpair() for _ in range(150)]
succeeded()`,
  },
  {
    name: 'writes a file of 40 MB',
    program: python`
path = '/tmp/' + OWN
try:
    with open(path, 'wb') as file:
        for _ in range(40): file.write(bytes(MB))
    succeeded()
finally: os.unlink(path)`,
  },
  {
    name: 'makes a file with a hole of 10 GB',
    program: python`
path = '/tmp/' + OWN
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    with open(path, 'wb') as file: file.truncate(10 << 30)
    succeeded()
finally: os.unlink(path)`,
  },
  {
    name: 'fills /tmp with 300 MB',
    program: python`
folder = '/tmp/' + OWN
os.mkdir(folder)
try:
    for n in range(30):
        with open(f'{folder}/{n}', 'wb') as file: file.write(bytes(10 * MB))
    succeeded()
finally: shutil.rmtree(folder)`,
  },
  {
    name: 'fills other folders in memory',
    program: python`
def fill(folder):
    mine = folder + '/' + OWN
    os.mkdir(mine)
    try:
        for n in range(10):
            with open(f'{mine}/{n}', 'wb') as file: file.write(bytes(10 * MB))
        return True
    finally: shutil.rmtree(mine)
try_all([lambda folder=folder: fill(folder) for folder in ['/dev/shm', '/dev', '/run', '/var/tmp', '/']])`,
  },
  {
    name: 'makes 60,000 files',
    program: MANY_FILES,
  },
  {
    name: 'makes 60,000 files beside a process that has ended but is not waited for',
    program: python`
if os.fork() == 0: os._exit(0)
${MANY_FILES}`,
  },
  {
    name: 'makes 60,000 names of one file',
    program: python`
folder = '/tmp/' + OWN
os.mkdir(folder)
try:
    os.chdir(folder)
    open('0', 'w').close()
    for n in range(1, 60_000): os.link('0', str(n))
    succeeded()
finally: shutil.rmtree(folder)`,
  },
];
