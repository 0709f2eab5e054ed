/** Processor architectures that we have call numbers of, as Node names them. */
export type FilteredArchitecture = 'x64' | 'arm64';

/** True for an architecture, as Node names it, that we have call numbers of. */
export function isFiltered(architecture: string): architecture is FilteredArchitecture {
  return architecture === 'x64' || architecture === 'arm64';
}

/**
 * System calls that a program in a sandbox is refused (EPERM), with their numbers (Linux, `asm/unistd_64.h` and
 * `asm-generic/unistd.h`): namespaces and mounts, other processes' memory and files, keyrings (which are inherited), parts
 * of the kernel that have often let programs out, notices and locks of files that others use too, and memory that belongs to no process and so is in no sum.
 */
export const refusedCalls: Readonly<Record<string, Readonly<Record<FilteredArchitecture, number>>>> = {
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
  memfd_secret: { x64: 447, arm64: 447 },
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
  flock: { x64: 73, arm64: 32 },
};

/** Calls that are looked at more closely. */
export const examinedCalls = {
  fcntl: { x64: 72, arm64: 25 },
  mmap: { x64: 9, arm64: 222 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  setsockopt: { x64: 54, arm64: 208 },
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
} as const;

/**
 * Address families that programs may have sockets of: unix alone. There is no network; a loopback's TCP buffers are
 * gigabytes that belong to no process, and vsock would reach out of a virtual machine.
 */
export const socketFamilies = [1] as const;
/** The kind of socket among the flags of its type. */
export const SOCKET_TYPE_MASK = 0xf;
/** Stream sockets alone: to a datagram socket many that are closed by now may have sent. */
export const SOCK_STREAM = 1;

/** `setsockopt` at this level... */
export const SOL_SOCKET = 1;
/** ...with these options would make buffers larger: SO_SNDBUF, SO_RCVBUF. */
export const bufferOptions = [7, 8] as const;

/** `fcntl` commands for leases on files and notices about folders. */
export const refusedFileCommands = [1024, 1025, 1026] as const;

/** `CLONE_NEW*`: a thread or process in new namespaces. */
export const NAMESPACE_FLAGS = 0x7e020000;
/** `mmap`: not of a file. */
export const MAP_ANONYMOUS = 0x20;
/** `mmap`: set in `MAP_SHARED` and `MAP_SHARED_VALIDATE`, not in `MAP_PRIVATE`. Such memory outlives its mapping. */
export const MAP_SHARED = 0x01;
