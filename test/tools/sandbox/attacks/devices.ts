import { type Attack, python } from './attack.ts';

/** Programs that reach devices, terminals and settings of the kernel. */
export const devices: readonly Attack[] = [
  {
    name: 'makes a device',
    needsRoot: true,
    program: python`
import stat
for folder in [FOLDER, '/tmp', '/dev']:
    path = folder + '/' + OWN
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        opened = open(path, 'rb').read(1) == b'\0'
    except OSError: continue
    os.unlink(path)
    if opened: succeeded()
    break`,
  },
  {
    name: 'opens a raw device',
    needsRoot: true,
    program: python`
names = ['mem', 'port', 'kmsg', 'kvm', 'fuse', 'loop-control', 'sda', 'vda', 'nvme0n1', 'xvda', 'console', 'tty0', 'ptmx', 'net/tun']
try_all([lambda name=name: os.open('/dev/' + name, os.O_RDONLY | os.O_NONBLOCK) >= 0 for name in names])`,
  },
  {
    name: 'reads the kernel log',
    needsRoot: true,
    program: python`
READ_ALL = 3
if check(libc.klogctl(READ_ALL, ctypes.create_string_buffer(1000), 1000)) >= 0: succeeded()`,
  },
  {
    name: 'writes escapes to our terminal',
    program: python`
with open('/dev/tty', 'w') as terminal: terminal.write('\033[2J')
succeeded()`,
  },
  {
    name: 'types into our terminal',
    needsRoot: true,
    program: python`
import fcntl, termios
try_all([lambda path=path: fcntl.ioctl(open(path), termios.TIOCSTI, b'x') == b'x' for path in ['/dev/tty', '/dev/stdin', '/dev/stdout', '/proc/1/fd/0']])`,
  },
  {
    name: 'takes another terminal as its own',
    program: python`
import fcntl, pty, termios
# Needs a terminal to be made, which is where escapes begin.
if os.fork() == 0:
    os.setsid()
    fcntl.ioctl(pty.openpty()[1], termios.TIOCSCTTY, 0)
    succeeded()
    os._exit(0)
os.wait()`,
  },
  {
    name: 'changes a setting of the kernel',
    needsRoot: true,
    program: python`
# Each is given the value that it has.
def rewrite(path):
    value = open(path).read()
    with open(path, 'w') as file: file.write(value)
    return True
try_all([lambda path=path: rewrite('/proc/sys/' + path) for path in ['kernel/core_pattern', 'kernel/hostname', 'vm/overcommit_memory', 'kernel/shmmax']])`,
  },
  {
    name: 'changes the host name',
    needsRoot: true,
    program: python`
name = socket.gethostname()
socket.sethostname(name)
succeeded()`,
  },
  {
    name: 'learns the host name',
    program: python`if socket.gethostname() == TARGETS['hostName']: succeeded()`,
  },
  { name: 'sees the hardware', program: python`if os.listdir('/sys/devices'): succeeded()` },
];
