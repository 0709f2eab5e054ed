import { closeSync, openSync, readFileSync, readSync, statfsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { sum } from '../../../base/sum.ts';
import type { SandboxLimits } from '../../../contract/sandbox.ts';
import { MAX_INODES } from '../sandboxLimits.ts';
import type { Cut } from '../watchProgram.ts';
import { processTree, unlessGone } from './processTree.ts';

/** `USER_HZ`, in which Linux counts CPU time for everybody. */
const TICKS_PER_SECOND = 100;
/** Type of a tmpfs in `statfs`. */
const TMPFS_MAGIC = 0x01021994;

/** CPU seconds that processes used, with those of children that have ended. */
function cpuSecondsOf(pids: readonly number[]): number {
  return sum(pids.map((pid) => unlessGone(() => cpuTicks(pid), 0))) / TICKS_PER_SECOND;
}

function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold spaces and brackets; utime is the 14th field, the 12th behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return sum(fields.slice(11, 15).map(Number));
}

/** What the kernel keeps of a mapping (measured: 192 bytes, 64 of its chain, and its part of a tree). */
const MAPPING_BYTES = 320;
/** Memory mappings read of a process; numpy with scipy has about 1,000. */
const MAX_MAPPINGS = 8192;
const PAGE_BYTES = 4096;

/**
 * Memory that processes hold together, with the kernel's pages and entries about it. Shared pages are counted in full for
 * each, and every page as a mapping of its own, so this is never too little; where that is more than `enough`, they are
 * looked at closely and shared pages are counted once. Infinite where a process has more mappings than any needs.
 */
function memoryBytesOf(pids: readonly number[], enough: number): number {
  const upperBound = sum(pids.map((pid) => unlessGone(() => maxBytes(pid), 0)));
  if (upperBound <= enough) return upperBound;
  let bytes = 0;
  for (const pid of pids) {
    bytes += unlessGone(
      () => proportionalBytes(pid),
      unlessGone(() => maxBytes(pid), 0),
    );
    // The kernel takes long to look at the rest of such processes.
    if (bytes === Number.POSITIVE_INFINITY) break;
  }
  return bytes;
}

function maxBytes(pid: number): number {
  const status = readStatus(pid);
  return residentBytes(status) + (kilobytes(status, 'VmSize') / PAGE_BYTES) * MAPPING_BYTES;
}

function proportionalBytes(pid: number): number {
  const mappings = mappingsOf(pid);
  if (mappings > MAX_MAPPINGS) return Number.POSITIVE_INFINITY;
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const shared = kilobytes(rollup, 'Pss') + kilobytes(rollup, 'SwapPss');
  return shared + kilobytes(readStatus(pid), 'VmPTE') + mappings * MAPPING_BYTES;
}

/** How many mappings a process has; beyond {@link MAX_MAPPINGS} the rest of the list, which takes long to read, is left. */
function mappingsOf(pid: number): number {
  const file = openSync(`/proc/${pid}/maps`, 'r');
  const block = Buffer.alloc(PAGE_BYTES);
  try {
    for (let mappings = 0; ; ) {
      const lines = block.subarray(0, readSync(file, block));
      if (lines.length === 0 || mappings > MAX_MAPPINGS) return mappings;
      mappings += lines.toString('latin1').split('\n').length - 1;
    }
  } finally {
    closeSync(file);
  }
}

function readStatus(pid: number): string {
  return readFileSync(`/proc/${pid}/status`, 'utf8');
}

function residentBytes(status: string): number {
  return kilobytes(status, 'VmRSS') + kilobytes(status, 'VmSwap') + kilobytes(status, 'VmPTE');
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
}

/** What the buffers of a unix socket may hold (measured: 295 kB with Linux's defaults). */
const SOCKET_BYTES = 300_000;

/**
 * Memory that the kernel may hold in sockets for a tree of processes, which is in none of them. Its first process is
 * outside, the second is process 1 inside: what that one sees are the sockets of the sandbox.
 */
function socketBytesOf([, inside]: readonly number[]): number {
  if (inside === undefined) return 0;
  const list = unlessGone(() => readFileSync(`/proc/${inside}/net/unix`, 'utf8'), '');
  // A heading, and a line for each.
  return Math.max(0, list.split('\n').length - 2) * SOCKET_BYTES;
}

/** What files take in memory. */
interface FilesUse {
  readonly bytes: number;
  /** Files and folders. */
  readonly inodes: number;
}

const nothing: FilesUse = { bytes: 0, inodes: 0 };

/**
 * What is in the tmpfs at a path that a tree of processes has of its own, which is known by its size. Nothing while none
 * of them has it yet: what they see there is the host's. One that has ended sees nothing, so all are asked.
 */
export function filesOf(pids: readonly number[], path: string, size: number): FilesUse {
  for (const pid of pids) {
    const use = filesSeenBy(pid, path, size);
    if (use) return use;
  }
  return nothing;
}

function filesSeenBy(pid: number, path: string, size: number): FilesUse | undefined {
  return unlessGone(() => {
    const { type, blocks, bsize, bfree, files, ffree } = statfsSync(`/proc/${pid}/root${path}`);
    const isOurs = type === TMPFS_MAGIC && Math.abs(blocks * bsize - size) < bsize;
    return isOurs ? { bytes: (blocks - bfree) * bsize, inodes: files - ffree } : undefined;
  }, undefined);
}

/**
 * Which limit a tree of processes is beyond, if any. `folder` is where its files are, in memory of its own.
 *
 * Limits of a process (RLIMIT_*) hold for each of many; this is how the sum is held where no control group does it.
 */
export function overLimit(root: number, limits: SandboxLimits, folder: string): Cut | undefined {
  const pids = processTree(root);
  if (cpuSecondsOf(pids) >= limits.cpuSeconds + CPU_GRACE_SECONDS) return 'timed_out';
  // One look takes in a process at a time while others come and go: what two looks find is so.
  const isOver = (tree: readonly number[]) => isOverMemory(tree, limits, folder);
  return isOver(pids) && isOver(processTree(root)) ? 'memory_limit' : undefined;
}

function isOverMemory(pids: readonly number[], limits: SandboxLimits, folder: string): boolean {
  const files = filesOf(pids, folder, limits.diskBytes);
  if (files.inodes > MAX_INODES || locksOf(pids) > MAX_LOCKS) return true;
  const room = limits.memoryBytes - files.bytes - socketBytesOf(pids);
  return memoryBytesOf(pids, room) > room;
}

/** Locks of files that are read: a database has a handful. */
const MAX_LOCKS = 1000;

/** Starting the sandbox takes CPU time too, and a single process is ended by its own limit, at the right moment. */
const CPU_GRACE_SECONDS = 0.5;

/**
 * Time between two reads of `/proc/locks`. The kernel has every read wait until no processor is in the middle of a
 * change (5 to 40 ms), so it is read beside the event loop and for all programs at once: 20 looks a second at each
 * would leave no time to start programs.
 */
const READ_EVERY_MS = 100;

/** Process id -> its locks when the list was last read. */
let locks: ReadonlyMap<number, number> = new Map();
let readAtMs = Number.NEGATIVE_INFINITY;

/**
 * Locks (POSIX) of files that processes hold or wait for, as the last read of the list found them, which may be a tenth
 * of a second ago. Each takes 192 bytes of the kernel's, however many there are.
 */
function locksOf(pids: readonly number[]): number {
  const nowMs = performance.now();
  if (nowMs - readAtMs >= READ_EVERY_MS) {
    readAtMs = nowMs;
    void readLocks();
  }
  return pids.reduce((sum, pid) => sum + (locks.get(pid) ?? 0), 0);
}

/** A list that can't be read, as in some containers, has no locks. */
async function readLocks(): Promise<void> {
  const list = await readFile('/proc/locks', 'latin1').catch(() => '');
  const counts = new Map<number, number>();
  for (const [, pid] of list.matchAll(/^\d+: (?:-> )?POSIX +\S+ +\S+ (\d+) /gm))
    counts.set(Number(pid), (counts.get(Number(pid)) ?? 0) + 1);
  locks = counts;
}
