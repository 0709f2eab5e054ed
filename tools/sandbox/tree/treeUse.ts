import { readFileSync, statfsSync } from 'node:fs';
import { unlessGone } from './processTree.ts';

/** `USER_HZ`, in which Linux counts CPU time for everybody. */
const TICKS_PER_SECOND = 100;
/** Type of a tmpfs in `statfs`. */
const TMPFS_MAGIC = 0x01021994;

/** CPU seconds that processes used, with those of children that have ended. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return sum(pids.map((pid) => unlessGone(() => cpuTicks(pid), 0))) / TICKS_PER_SECOND;
}

function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in brackets may hold spaces and brackets; utime is the 14th field, the 12th behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return sum(fields.slice(11, 15).map(Number));
}

/**
 * Memory that processes hold together. Shared pages are counted in full for each, so this is never too little; where
 * that is more than `enough`, they are looked at closely and shared pages are counted once.
 */
export function memoryBytesOf(pids: readonly number[], enough: number): number {
  const upperBound = sum(pids.map((pid) => unlessGone(() => residentBytes(pid), 0)));
  if (upperBound <= enough) return upperBound;
  return sum(
    pids.map((pid) =>
      unlessGone(
        () => proportionalBytes(pid),
        unlessGone(() => residentBytes(pid), 0),
      ),
    ),
  );
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return kilobytes(status, 'VmRSS') + kilobytes(status, 'VmSwap');
}

function proportionalBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  return kilobytes(rollup, 'Pss') + kilobytes(rollup, 'SwapPss');
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
export function socketBytesOf([, inside]: readonly number[]): number {
  if (inside === undefined) return 0;
  const list = unlessGone(() => readFileSync(`/proc/${inside}/net/unix`, 'latin1'), '');
  // A heading, and a line for each.
  return Math.max(0, list.split('\n').length - 2) * SOCKET_BYTES;
}

/** What files take in memory. */
export interface FilesUse {
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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
