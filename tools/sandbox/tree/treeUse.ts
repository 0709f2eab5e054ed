import { readFileSync, statfsSync } from 'node:fs';
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

/**
 * Memory that processes hold together. Shared pages are counted in full for each, so this is never too little; where that
 * is more than `enough`, they are counted once.
 */
function memoryBytesOf(pids: readonly number[], enough: number): number {
  const upperBound = sum(pids.map(residentBytes));
  if (upperBound <= enough) return upperBound;
  // One whose shares can't be read counts in full: as it is now, for it may have ended, and then it holds nothing.
  return sum(pids.map((pid) => unlessGone(() => proportionalBytes(pid), undefined) ?? residentBytes(pid)));
}

function proportionalBytes(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const shared = kilobytes(rollup, 'Pss') + kilobytes(rollup, 'SwapPss');
  return shared + kilobytes(readStatus(pid), 'VmPTE');
}

function readStatus(pid: number): string {
  return readFileSync(`/proc/${pid}/status`, 'utf8');
}

function residentBytes(pid: number): number {
  const status = unlessGone(() => readStatus(pid), '');
  return kilobytes(status, 'VmRSS') + kilobytes(status, 'VmSwap') + kilobytes(status, 'VmPTE');
}

function kilobytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024;
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
  if (files.inodes > MAX_INODES) return true;
  const room = limits.memoryBytes - files.bytes;
  return memoryBytesOf(pids, room) > room;
}

/** Starting the sandbox takes CPU time too, and a single process is ended by its own limit, at the right moment. */
const CPU_GRACE_SECONDS = 0.5;
