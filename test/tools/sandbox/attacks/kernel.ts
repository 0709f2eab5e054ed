import { type Attack, python } from './attack.ts';

/** Programs that use parts of the kernel that no honest program here needs, and that were broken often. */
export const kernel: readonly Attack[] = [
  {
    name: 'sets up io_uring',
    program: python`if syscall('io_uring_setup', 8, ctypes.create_string_buffer(120)) >= 0: succeeded()`,
  },
  {
    name: 'handles its own page faults',
    program: python`
UFFD_USER_MODE_ONLY = 1
if syscall('userfaultfd', UFFD_USER_MODE_ONLY) >= 0: succeeded()`,
  },
  {
    name: 'counts events of the processor',
    needsRoot: true,
    program: python`
PERF_TYPE_SOFTWARE, SIZE, PERF_COUNT_SW_TASK_CLOCK = 1, 112, 1
wanted = struct.pack('IIQ', PERF_TYPE_SOFTWARE, SIZE, PERF_COUNT_SW_TASK_CLOCK).ljust(SIZE, b'\0')
if syscall('perf_event_open', wanted, 0, -1, -1, 0) >= 0: succeeded()`,
  },
  {
    name: 'makes a map for programs in the kernel',
    needsRoot: true,
    program: python`
BPF_MAP_CREATE, BPF_MAP_TYPE_ARRAY = 0, 2
wanted = struct.pack('IIII', BPF_MAP_TYPE_ARRAY, 4, 4, 1).ljust(72, b'\0')
if syscall('bpf', BPF_MAP_CREATE, wanted, len(wanted)) >= 0: succeeded()`,
  },
  {
    name: 'reads a key of ours',
    program: python`
KEYCTL_READ, KEYCTL_SEARCH, SESSION = 11, 10, -3
key = syscall('keyctl', KEYCTL_SEARCH, SESSION, b'user', b'coa-secret', 0)
buffer = ctypes.create_string_buffer(100)
syscall('keyctl', KEYCTL_READ, key, buffer, 100)
if buffer.value.decode() == TARGETS['secretKey']: succeeded()`,
  },
  {
    name: 'leaves a key for the next program',
    before: python`syscall('add_key', b'user', b'coa-left', b'left', 4, -3)`,
    program: python`
KEYCTL_SEARCH, KEYCTL_UNLINK, SESSION = 10, 9, -3
key = syscall('keyctl', KEYCTL_SEARCH, SESSION, b'user', b'coa-left', 0)
syscall('keyctl', KEYCTL_UNLINK, key, SESSION)
succeeded()`,
  },
];
