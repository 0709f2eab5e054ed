import { type Attack, python } from './attack.ts';

/** Names for the attacks on mounts; where it may, a program attacks a mount namespace of its own. */
const mounting = python`
CLONE_NEWNS, MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 1, 32, 4096, 16384, 1 << 18, 2
def mount(source, target, kind, flags, data=None):
    text = lambda value: None if value is None else value.encode()
    return check(libc.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags), text(data)))
if libc.unshare(CLONE_NEWNS) == 0: mount(None, '/', None, MS_REC | MS_PRIVATE)
`;

/** Programs that change what the file system looks like, or leave their part of it. All but the last need root. */
export const mounts: readonly Attack[] = [
  {
    name: 'mounts a file system',
    needsRoot: true,
    program: python`${mounting}
try_all([lambda kind=kind: mount('none', '/tmp', kind, 0) == 0 for kind in ['tmpfs', 'proc', 'sysfs', 'ramfs', 'devpts']])`,
  },
  {
    name: 'mounts a folder in another place',
    needsRoot: true,
    program: python`${mounting}
if mount('/usr', '/tmp', None, MS_BIND) == 0: succeeded()`,
  },
  {
    name: 'makes a read-only mount writable',
    needsRoot: true,
    program: python`${mounting}
try:
    mount(FOLDER, FOLDER, None, MS_BIND)
    mount(None, FOLDER, None, MS_REMOUNT | MS_BIND | MS_RDONLY)
except OSError: pass
def write(folder):
    mount(None, folder, None, MS_REMOUNT | MS_BIND)
    open(folder + '/' + OWN, 'w').close()
    os.unlink(folder + '/' + OWN)
    return True
try_all([lambda folder=folder: write(folder) for folder in [FOLDER, '/', '/usr', '/dev', '/proc']])`,
  },
  {
    name: 'takes a mount away',
    needsRoot: true,
    program: python`${mounting}
try: mount('none', FOLDER, 'tmpfs', 0)
except OSError: pass
try_all([lambda path=path: check(libc.umount2(path.encode(), MNT_DETACH)) == 0 for path in [FOLDER, '/tmp', '/dev', '/usr', '/proc', '/']])`,
  },
  {
    name: 'moves to another root by pivot_root',
    needsRoot: true,
    program: python`${mounting}
root = '/tmp/' + OWN
os.mkdir(root)
try:
    mount('none', root, 'tmpfs', 0)
    os.mkdir(root + '/old')
    syscall('pivot_root', root.encode(), (root + '/old').encode())
    if os.path.exists('/old/usr'): succeeded()
finally:
    for path in [root, '/old' + root]:
        if os.path.exists(path):
            libc.umount2(path.encode(), MNT_DETACH)
            os.rmdir(path)`,
  },
  {
    name: 'leaves its root by chroot',
    needsRoot: true,
    program: python`
inner = '/tmp/' + OWN
os.mkdir(inner)
try:
    outside = os.open('/', os.O_RDONLY)
    os.chroot(inner)
    os.fchdir(outside)
    for _ in range(50): os.chdir('..')
    os.chroot('.')
    if open(SECRET_FILE).read(): succeeded()
finally: os.rmdir(inner)`,
  },
  {
    name: 'opens a file system by the new mount interface',
    needsRoot: true,
    program: python`if syscall('fsopen', b'tmpfs', 0) >= 0: succeeded()`,
  },
  {
    name: 'copies the tree of mounts',
    needsRoot: true,
    program: python`
AT_FDCWD, OPEN_TREE_CLONE, AT_RECURSIVE = -100, 1, 0x8000
if syscall('open_tree', AT_FDCWD, b'/', OPEN_TREE_CLONE | AT_RECURSIVE) >= 0: succeeded()`,
  },
  {
    name: 'mounts in a user namespace',
    program: python`
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x20000
uid = os.getuid()
check(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
open('/proc/self/setgroups', 'w').write('deny')
open('/proc/self/uid_map', 'w').write(f'0 {uid} 1')
check(libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))
succeeded()`,
  },
];
