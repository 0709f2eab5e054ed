import { readFileSync, statfsSync } from 'node:fs';
import { sum } from '../../../base/sum.ts';
import type { SandboxLimits } from '../../../contract/sandbox.ts';
import { MAX_INODES } from '../sandboxLimits.ts';
import type { Cut } from '../watchProgram.ts';
import { processTree, unlessGone } from './processTree.ts';

/** `USER_HZ`, Linux's unit of CPU time. */
const TICKS_PER_SECOND = 100;
/** `statfs` type of a tmpfs. */
const TMPFS_MAGIC = 0x01021994;

/** CPU seconds of processes, with their ended children. */
function cpuSecondsOf(pids: readonly number[]): number {
  return sum(pids.map((pid) => unlessGone(() => cpuTicks(pid), 0))) / TICKS_PER_SECOND;
}

function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may contain spaces and brackets; utime is the 14th field, the 12th after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return sum(fields.slice(11, 15).map(Number));
}

/**
 * Memory of processes together. Shared pages count fully for each, so this is never too low; above `enough` they are
 * counted once.
 */
function memoryBytesOf(pids: readonly number[], enough: number): number {
  const upperBound = sum(pids.map(residentBytes));
  if (upperBound <= enough) return upperBound;
  // A process with unreadable shares counts fully as of now; it may have ended and hold nothing.
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

/** Memory used by files. */
interface FilesUse {
  readonly bytes: number;
  /** Number of files and folders. */
  readonly inodes: number;
}

const nothing: FilesUse = { bytes: 0, inodes: 0 };

/**
 * Use of the tmpfs at a path that is private to a process tree, recognised by its size. Nothing while no process has
 * it yet: they see the host's. An ended process sees nothing, so all are checked.
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
 * Exceeded limit of a process tree, if any. `folder` is the location of its files, in a private tmpfs.
 *
 * RLIMIT_* apply per process; this enforces the sum without a control group.
 */
export function overLimit(root: number, limits: SandboxLimits, folder: string): Cut | undefined {
  const pids = processTree(root);
  if (cpuSecondsOf(pids) >= limits.cpuSeconds + CPU_GRACE_SECONDS) return 'timed_out';
  // Processes come and go during a look: only a repeated result counts.
  const isOver = (tree: readonly number[]) => isOverMemory(tree, limits, folder);
  return isOver(pids) && isOver(processTree(root)) ? 'memory_limit' : undefined;
}

function isOverMemory(pids: readonly number[], limits: SandboxLimits, folder: string): boolean {
  const files = filesOf(pids, folder, limits.diskBytes);
  if (files.inodes > MAX_INODES) return true;
  const room = limits.memoryBytes - files.bytes;
  return memoryBytesOf(pids, room) > room;
}

/** CPU time for starting the sandbox; a single process is ended by its own limit, at the right moment. */
const CPU_GRACE_SECONDS = 0.5;
