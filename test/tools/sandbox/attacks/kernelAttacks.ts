import { asRoot, attackTable, python } from './attack.ts';

/** Programs that reach devices, terminals and settings of the kernel. */
export const devices = attackTable({
  'opens a raw device': asRoot(python`
names = ['mem', 'port', 'kmsg', 'kvm', 'fuse', 'loop-control', 'sda', 'vda', 'nvme0n1', 'xvda', 'console', 'tty0', 'ptmx', 'net/tun']
try_all([lambda name=name: os.open('/dev/' + name, os.O_RDONLY | os.O_NONBLOCK) >= 0 for name in names])`),
  'reads the kernel log': asRoot(python`
READ_ALL = 3
if check(libc.klogctl(READ_ALL, ctypes.create_string_buffer(1000), 1000)) >= 0: succeeded()`),
  'writes escapes to our terminal': python`
with open('/dev/tty', 'w') as terminal: terminal.write('\033[2J')
succeeded()`,
  'takes another terminal as its own': python`
import fcntl, pty, termios
# Needs a terminal to be made, which is where escapes begin.
if os.fork() == 0:
    os.setsid()
    fcntl.ioctl(pty.openpty()[1], termios.TIOCSCTTY, 0)
    succeeded()
    os._exit(0)
os.wait()`,
  'changes a setting of the kernel': asRoot(python`
# Each is given the value that it has.
def rewrite(path):
    value = open(path).read()
    with open(path, 'w') as file: file.write(value)
    return True
try_all([lambda path=path: rewrite('/proc/sys/' + path) for path in ['kernel/core_pattern', 'kernel/hostname', 'vm/overcommit_memory', 'kernel/shmmax']])`),
  'learns the host name': python`if socket.gethostname() == TARGETS['hostName']: succeeded()`,
});

/** Names for the attacks on mounts; where it may, a program attacks a mount namespace of its own. */
const mounting = python`
CLONE_NEWNS, MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 1, 32, 4096, 16384, 1 << 18, 2
def mount(source, target, kind, flags, data=None):
    text = lambda value: None if value is None else value.encode()
    return check(libc.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags), text(data)))
if libc.unshare(CLONE_NEWNS) == 0: mount(None, '/', None, MS_REC | MS_PRIVATE)
`;

/** Programs that change what the file system looks like, or leave their part of it. All but the last need root. */
export const mounts = attackTable({
  'mounts a file system': asRoot(python`${mounting}
try_all([lambda kind=kind: mount('none', '/tmp', kind, 0) == 0 for kind in ['tmpfs', 'proc', 'sysfs', 'ramfs', 'devpts']])`),
  'makes a read-only mount writable': asRoot(python`${mounting}
try:
    mount(FOLDER, FOLDER, None, MS_BIND)
    mount(None, FOLDER, None, MS_REMOUNT | MS_BIND | MS_RDONLY)
except OSError: pass
def write(folder):
    mount(None, folder, None, MS_REMOUNT | MS_BIND)
    open(folder + '/' + OWN, 'w').close()
    os.unlink(folder + '/' + OWN)
    return True
try_all([lambda folder=folder: write(folder) for folder in [FOLDER, '/', '/usr', '/dev', '/proc']])`),
  'leaves its root by chroot': asRoot(python`
inner = '/tmp/' + OWN
os.mkdir(inner)
try:
    outside = os.open('/', os.O_RDONLY)
    os.chroot(inner)
    os.fchdir(outside)
    for _ in range(50): os.chdir('..')
    os.chroot('.')
    if open(SECRET_FILE).read(): succeeded()
finally: os.rmdir(inner)`),
});

const unshare = (flag: string) => python`if check(libc.unshare(${flag})) == 0: succeeded()`;

/** A filter that knows one set of call numbers is passed by with another. */
const byOldCall = python`
code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# push rbx; mov eax, 310 (unshare); mov ebx, CLONE_NEWUSER; int 0x80; pop rbx; ret
code.write(b'\x53\xb8\x36\x01\x00\x00\xbb\x00\x00\x00\x10\xcd\x80\x5b\xc3')
if ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))() == 0: succeeded()`;

/** Programs that make or enter namespaces. */
export const namespaces = attackTable({
  'makes a network namespace': asRoot(unshare('0x40000000')),
  'makes a namespace of processes': asRoot(unshare('0x20000000')),
  'makes a namespace of control groups': asRoot(unshare('0x02000000')),
  'makes a user namespace by unshare': unshare('0x10000000'),
  'makes a user namespace by clone': python`
CLONE_NEWUSER = 0x10000000
child = syscall('clone', CLONE_NEWUSER | signal.SIGCHLD, 0, 0, 0, 0)
if child == 0: os._exit(0)
os.waitpid(child, 0)
succeeded()`,
  // On other processors there is none.
  ...(process.arch === 'x64' && { 'makes a user namespace by a 32-bit call': byOldCall }),
  "enters the host's namespaces": asRoot(python`
def enter(pid, kind): return check(libc.setns(os.open(f'/proc/{pid}/ns/{kind}', os.O_RDONLY), 0)) == 0
try_all([lambda pid=pid, kind=kind: enter(pid, kind) for pid in (VICTIM, DRIVER, 1) for kind in ('net', 'uts', 'ipc', 'cgroup', 'mnt')])`),
});

/** Programs that gain rights. */
export const privileges = attackTable({
  'becomes root': asRoot(python`
os.setresuid(0, 0, 0)
succeeded()`),
  'becomes another user': asRoot(python`
def become(uid):
    os.setresuid(uid, uid, uid)
    return True
try_all([lambda uid=uid: become(uid) for uid in (1, 30001, 65533)])`),
  'may gain capabilities': python`
sets = [line.split()[1] for line in open('/proc/self/status') if line[:7] in ('CapPrm:', 'CapEff:', 'CapBnd:')]
if any(int(text, 16) for text in sets): succeeded()`,
  'runs a setuid program of the system': python`
# It asks for a password, and gets none.
started = subprocess.Popen(['/usr/bin/su'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
try:
    for _ in range(300):
        uids = next(line.split()[1:] for line in open(f'/proc/{started.pid}/status') if line.startswith('Uid:'))
        if uids[1] == '0': break
        time.sleep(0.01)
    if uids[1] == '0': succeeded()
finally:
    started.kill()
    started.wait()`,
  'plants a setuid program': asRoot(python`
planted = '/tmp/' + OWN
shutil.copy('/usr/bin/id', planted)
try:
    os.chmod(planted, 0o4755)
    if os.fork() == 0:
        if os.getuid() == 0: os.setresuid(65534, 65534, 65534)
        os.execv(planted, [planted, '-u'])
        os._exit(1)
    os.wait()
    shown = subprocess.run(['/usr/bin/setpriv', '--reuid=65534', planted, '-u'], capture_output=True, text=True).stdout
    if shown == '0\n' and os.stat(planted).st_mode & 0o4000: succeeded()
finally: os.unlink(planted)`),
});
