import { type Attack, python } from './attack.ts';

const unshares = (name: string, flag: string): Attack => ({
  name,
  needsRoot: true,
  program: python`if check(libc.unshare(${flag})) == 0: succeeded()`,
});

/** A filter that knows one set of call numbers is passed by with another. */
const byOldCall: Attack = {
  name: 'makes a user namespace by a 32-bit call',
  program: python`
code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
# push rbx; mov eax, 310 (unshare); mov ebx, CLONE_NEWUSER; int 0x80; pop rbx; ret
code.write(b'\x53\xb8\x36\x01\x00\x00\xbb\x00\x00\x00\x10\xcd\x80\x5b\xc3')
if ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))() == 0: succeeded()`,
};

/** Programs that make or enter namespaces. */
export const namespaces: readonly Attack[] = [
  unshares('makes a network namespace', '0x40000000'),
  unshares('makes a namespace of processes', '0x20000000'),
  unshares('makes a namespace of control groups', '0x02000000'),
  {
    name: 'makes a user namespace by unshare',
    program: python`if check(libc.unshare(0x10000000)) == 0: succeeded()`,
  },
  {
    name: 'makes a user namespace by clone',
    program: python`
CLONE_NEWUSER = 0x10000000
child = syscall('clone', CLONE_NEWUSER | signal.SIGCHLD, 0, 0, 0, 0)
if child == 0: os._exit(0)
os.waitpid(child, 0)
succeeded()`,
  },
  ...(process.arch === 'x64' ? [byOldCall] : []),
  {
    name: "enters the host's namespaces",
    needsRoot: true,
    program: python`
def enter(pid, kind): return check(libc.setns(os.open(f'/proc/{pid}/ns/{kind}', os.O_RDONLY), 0)) == 0
try_all([lambda pid=pid, kind=kind: enter(pid, kind) for pid in (VICTIM, DRIVER, 1) for kind in ('net', 'uts', 'ipc', 'cgroup', 'mnt')])`,
  },
];
