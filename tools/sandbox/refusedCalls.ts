/** Processor architectures with known call numbers, by Node's names. */
export type FilteredArchitecture = 'x64' | 'arm64';

/** True for an architecture with known call numbers. */
export function isFiltered(architecture: string): architecture is FilteredArchitecture {
  return architecture === 'x64' || architecture === 'arm64';
}

/** Number of a system call by architecture. */
type CallNumbers = Readonly<Partial<Record<FilteredArchitecture, number>>>;

/**
 * First number, common to all architectures, that is answered with "does not exist": nothing added since Linux 5.13
 * is needed.
 */
export const FIRST_RECENT_CALL = 444;

/**
 * System calls that a program in a sandbox is refused (EPERM), with their numbers (Linux, `asm/unistd_64.h` and
 * `asm-generic/unistd.h`). No honest program needs any of them:
 *
 * - namespaces and mounts, other processes' memory and files, keyrings (which are inherited), parts of the kernel that
 *   have often let programs out;
 * - notices and locks of files that others use too, and what writes the host's files out;
 * - objects and memory of the kernel that belong to no process, and so are in no sum, or that all programs of the
 *   machine or of a user share a number of: AIO, timers and queued signals, memory policies, pages given to pipes,
 *   attributes of files.
 */
export const refusedCalls: Readonly<Record<string, CallNumbers>> = {
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  open_tree: { x64: 428, arm64: 428 },
  move_mount: { x64: 429, arm64: 429 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  mount_setattr: { x64: 442, arm64: 442 },
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  process_madvise: { x64: 440, arm64: 440 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  bpf: { x64: 321, arm64: 280 },
  userfaultfd: { x64: 323, arm64: 282 },
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  perf_event_open: { x64: 298, arm64: 241 },
  memfd_create: { x64: 319, arm64: 279 },
  shmget: { x64: 29, arm64: 194 },
  msgget: { x64: 68, arm64: 186 },
  semget: { x64: 64, arm64: 190 },
  vmsplice: { x64: 278, arm64: 75 },
  mq_open: { x64: 240, arm64: 180 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  acct: { x64: 163, arm64: 89 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  reboot: { x64: 169, arm64: 142 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  adjtimex: { x64: 159, arm64: 171 },
  clock_adjtime: { x64: 305, arm64: 266 },
  syslog: { x64: 103, arm64: 116 },
  vhangup: { x64: 153, arm64: 58 },
  personality: { x64: 135, arm64: 92 },
  fanotify_init: { x64: 300, arm64: 262 },
  inotify_init1: { x64: 294, arm64: 26 },
  inotify_add_watch: { x64: 254, arm64: 27 },
  inotify_init: { x64: 253 },
  flock: { x64: 73, arm64: 32 },
  io_setup: { x64: 206, arm64: 0 },
  io_destroy: { x64: 207, arm64: 1 },
  io_submit: { x64: 209, arm64: 2 },
  io_cancel: { x64: 210, arm64: 3 },
  io_getevents: { x64: 208, arm64: 4 },
  io_pgetevents: { x64: 333, arm64: 292 },
  timer_create: { x64: 222, arm64: 107 },
  rt_sigqueueinfo: { x64: 129, arm64: 138 },
  rt_tgsigqueueinfo: { x64: 297, arm64: 240 },
  splice: { x64: 275, arm64: 76 },
  tee: { x64: 276, arm64: 77 },
  mbind: { x64: 237, arm64: 235 },
  set_mempolicy: { x64: 238, arm64: 237 },
  migrate_pages: { x64: 256, arm64: 238 },
  move_pages: { x64: 279, arm64: 239 },
  remap_file_pages: { x64: 216, arm64: 234 },
  setxattr: { x64: 188, arm64: 5 },
  lsetxattr: { x64: 189, arm64: 6 },
  fsetxattr: { x64: 190, arm64: 7 },
  seccomp: { x64: 317, arm64: 277 },
  modify_ldt: { x64: 154 },
  iopl: { x64: 172 },
  ioperm: { x64: 173 },
  uselib: { x64: 134 },
  lookup_dcookie: { x64: 212, arm64: 18 },
  sync: { x64: 162, arm64: 81 },
  syncfs: { x64: 306, arm64: 267 },
};

/** The numbers of the refused calls. */
export function refusedNumbers(architecture: FilteredArchitecture): number[] {
  return Object.values(refusedCalls).flatMap((numbers) => numbers[architecture] ?? []);
}

/** Calls whose arguments are checked. */
export const examinedCalls = {
  fcntl: { x64: 72, arm64: 25 },
  prctl: { x64: 157, arm64: 167 },
  madvise: { x64: 28, arm64: 233 },
  mmap: { x64: 9, arm64: 222 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  setsockopt: { x64: 54, arm64: 208 },
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
} as const;

/**
 * Allowed socket families: only unix. There is no network; TCP buffers of a loopback are gigabytes that belong to no
 * process, and vsock would reach out of a virtual machine.
 */
export const socketFamilies = [1] as const;
/** Mask of the socket kind in its type flags. */
export const SOCKET_TYPE_MASK = 0xf;
/** Only stream sockets: a datagram socket may hold data of many closed senders. */
export const SOCK_STREAM = 1;

/** Level of the refused `setsockopt` options. */
export const SOL_SOCKET = 1;
/** Refused options: larger buffers (SO_SNDBUF, SO_RCVBUF), and programs attached to a socket. */
export const refusedSocketOptions = [7, 8, 26, 50, 51, 52] as const;

/**
 * Refused `fcntl` commands: file leases, folder notifications, larger pipes, and locks owned by an open file instead
 * of a process, which cannot be attributed.
 */
export const refusedFileCommands = [36, 37, 38, 1024, 1025, 1026, 1031] as const;

/**
 * Allowed `prctl` options: parent death signal, dumpable, keep capabilities, name, seccomp state, capabilities, timer
 * slack, no new privileges, huge pages. Others would add filters, name mappings or allocate a futex table, all in
 * kernel memory.
 */
export const knownProcessOptions = [1, 2, 3, 4, 7, 8, 15, 16, 21, 23, 29, 30, 38, 39, 41, 42] as const;

/** Refused `madvise` advice: pages to merge with others' (MADV_MERGEABLE), and pages to offline. */
export const refusedAdvice = [12, 100, 101] as const;

/** `CLONE_NEW*` flags: a thread or process in new namespaces. */
export const NAMESPACE_FLAGS = 0x7e020000;
/** `mmap` flag for huge pages reserved by the machine's owner, which no process is charged for. */
export const MAP_HUGETLB = 0x40000;
/** `mmap` flag for memory without a file. */
export const MAP_ANONYMOUS = 0x20;
/**
 * `mmap` flag set in `MAP_SHARED` and `MAP_SHARED_VALIDATE`, not in `MAP_PRIVATE`. Such memory outlives its mapping.
 */
export const MAP_SHARED = 0x01;
