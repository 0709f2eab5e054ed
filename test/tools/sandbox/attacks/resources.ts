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
    name: 'makes 60,000 files',
    program: MANY_FILES,
  },
];
