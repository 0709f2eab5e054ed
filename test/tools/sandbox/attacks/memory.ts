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
