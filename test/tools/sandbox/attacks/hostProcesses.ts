import { type Attack, python } from './attack.ts';

/** Programs that look into or change processes of the host. */
export const hostProcesses: readonly Attack[] = [
  {
    name: 'finds our environment in any process',
    program: python`
def reads(pid): return TARGETS['secretVariable'] in open(f'/proc/{pid}/environ').read()
try_all([lambda pid=pid: reads(pid) for pid in os.listdir('/proc') if pid.isdigit()])`,
  },
  {
    name: 'reads the command lines of others',
    program: python`
def reads(pid): return 'coa-victim' in open(f'/proc/{pid}/cmdline').read()
try_all([lambda pid=pid: reads(pid) for pid in os.listdir('/proc') if pid.isdigit()])`,
  },
  {
    name: "reads a process's memory by process_vm_readv",
    program: python`
buffer = ctypes.create_string_buffer(4)
local = struct.pack('QQ', ctypes.addressof(buffer), 4)
remote = struct.pack('QQ', first_mapping(VICTIM), 4)
syscall('process_vm_readv', VICTIM, local, 1, remote, 1, 0)
if buffer.raw == b'\x7fELF': succeeded()`,
  },
  { name: 'sees a process by its number', program: python`if os.kill(VICTIM, 0) is None: succeeded()` },
  {
    name: 'kills a process',
    program: python`os.kill(VICTIM, signal.SIGKILL)`,
    succeeded: ({ victimLives }) => !victimLives,
  },
  { name: 'reaches somebody by a signal to all', program: python`if os.kill(-1, 0) is None: succeeded()` },
  {
    name: 'traces another process',
    program: python`
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
def trace(pid):
    check(libc.ptrace(PTRACE_ATTACH, ctypes.c_long(pid), ctypes.c_long(0), ctypes.c_long(0)))
    os.waitpid(pid, 0x40000000)
    check(libc.ptrace(PTRACE_DETACH, ctypes.c_long(pid), ctypes.c_long(0), ctypes.c_long(0)))
    return True
try_all([lambda: trace(VICTIM), lambda: trace(1)])`,
  },
  {
    name: "changes another's limits",
    program: python`if resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (64, 64)): succeeded()`,
  },
  {
    name: 'lifts its own limits',
    program: python`
limits = [resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU]
for limit in limits: resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
succeeded()`,
  },
];
