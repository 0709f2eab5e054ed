import { asRoot, attackTable, python } from './attack.ts';

/** Programs that read or write files of the host. */
export const hostFiles = attackTable({
  'reads a file of ours': python`if open(SECRET_FILE).read(): succeeded()`,
  'reads through its own root': python`if open('/proc/self/root' + SECRET_FILE).read(): succeeded()`,
  "reads through a host process's root": python`if open(f'/proc/{VICTIM}/root{SECRET_FILE}').read(): succeeded()`,
  'climbs up from its working directory': python`if open('../' * 40 + SECRET_FILE).read(): succeeded()`,
  'makes a hard link to a file of ours': python`
link = FOLDER + '/' + OWN
os.link(SECRET_FILE, link)
os.unlink(link)
succeeded()`,
  'reads a descriptor that we were started with': python`if os.pread(40, 100, 0): succeeded()`,
  'walks out of a folder whose descriptor we have': python`
os.fchdir(41)
os.chdir('..')
if os.path.basename(FOLDER) in os.listdir('.'): succeeded()`,
  'writes into a folder of ours': python`
open(FOLDER + '/' + OWN, 'w').close()
os.unlink(FOLDER + '/' + OWN)
succeeded()`,
  'writes to the system': asRoot(python`
for folder in ['/', '/usr', '/usr/bin', '/usr/lib', '/etc', '/dev', '/lib', '/proc']:
    try: open(folder + '/' + OWN, 'w').close()
    except OSError: continue
    os.unlink(folder + '/' + OWN)
    succeeded()
    break`),
  'changes the program that is run next': asRoot(python`
# Opened for writing and left as it is: that is enough.
for path in [sys.prefix + '/lib/python3', os.__file__, '/usr/bin/python3-config', '/bin/ls']:
    try: os.close(os.open(path, os.O_WRONLY))
    except OSError: continue
    succeeded()
    break`),
});

/** Programs that look into or change processes of the host. */
export const hostProcesses = attackTable({
  'finds our environment in any process': python`
def reads(pid): return TARGETS['secretVariable'] in open(f'/proc/{pid}/environ').read()
try_all([lambda pid=pid: reads(pid) for pid in os.listdir('/proc') if pid.isdigit()])`,
  'reads the command lines of others': python`
def reads(pid): return 'coa-victim' in open(f'/proc/{pid}/cmdline').read()
try_all([lambda pid=pid: reads(pid) for pid in os.listdir('/proc') if pid.isdigit()])`,
  "reads a process's memory by process_vm_readv": python`
buffer = ctypes.create_string_buffer(4)
local = struct.pack('QQ', ctypes.addressof(buffer), 4)
remote = struct.pack('QQ', first_mapping(VICTIM), 4)
syscall('process_vm_readv', VICTIM, local, 1, remote, 1, 0)
if buffer.raw == b'\x7fELF': succeeded()`,
  'sees a process by its number': python`if os.kill(VICTIM, 0) is None: succeeded()`,
  'kills a process': {
    program: python`os.kill(VICTIM, signal.SIGKILL)`,
    succeeded: ({ victimLives }) => !victimLives,
  },
  'reaches somebody by a signal to all': python`if os.kill(-1, 0) is None: succeeded()`,
  'traces another process': python`
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
def trace(pid):
    check(libc.ptrace(PTRACE_ATTACH, ctypes.c_long(pid), ctypes.c_long(0), ctypes.c_long(0)))
    os.waitpid(pid, 0x40000000)
    check(libc.ptrace(PTRACE_DETACH, ctypes.c_long(pid), ctypes.c_long(0), ctypes.c_long(0)))
    return True
try_all([lambda: trace(VICTIM), lambda: trace(1)])`,
  "changes another's limits": python`if resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (64, 64)): succeeded()`,
  'lifts its own limits': python`
limits = [resource.RLIMIT_AS, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU]
for limit in limits: resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
succeeded()`,
});
