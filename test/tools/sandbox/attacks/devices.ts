import { type Attack, python } from './attack.ts';

/** Programs that reach devices, terminals and settings of the kernel. */
export const devices: readonly Attack[] = [
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
    name: 'learns the host name',
    program: python`if socket.gethostname() == TARGETS['hostName']: succeeded()`,
  },
];
