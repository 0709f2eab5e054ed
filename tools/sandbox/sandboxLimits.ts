import { availableParallelism, totalmem } from 'node:os';
import PQueue from 'p-queue';
import type { SandboxLimits, SandboxProgram } from '../../contract/sandbox.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';

const MEGABYTE = 1024 * 1024;

/** Maximum files and folders of a program: each takes about a kilobyte of kernel memory, even if empty. */
export const MAX_INODES = 8192;

/** Limits of programs; the default CPU time is what the wall clock allows one thread. */
export type DefaultLimits = Omit<SandboxLimits, 'cpuSeconds'> & { readonly cpuSeconds?: number };

/** Default limits: those of `tools.code`. */
export const DEFAULT_LIMITS: DefaultLimits = {
  memoryBytes: 512 * MEGABYTE,
  processes: 24,
  fileBytes: 16 * MEGABYTE,
  openFiles: 64,
  outputBytes: 4 * MEGABYTE,
  diskBytes: 64 * MEGABYTE,
};

export function limitsOf(config: CodeConfig): DefaultLimits {
  return {
    ...(config.cpu_s !== undefined && { cpuSeconds: config.cpu_s }),
    ...DEFAULT_LIMITS,
    memoryBytes: config.memory_mb * MEGABYTE,
  };
}

/** Number of user ids that root has for the programs of one process, see `slotUid`. */
const MOST_AT_ONCE = 64;
const LEAST_AT_ONCE = 2;

/**
 * Default concurrency. Two per processor: a short program spends half of its time waiting for its start and pipes,
 * and one that never ends leaves the other place free.
 */
export function programsAtOnce({ memoryBytes }: Pick<SandboxLimits, 'memoryBytes'>): number {
  const held = Math.floor(totalmem() / 2 / memoryBytes);
  return Math.max(LEAST_AT_ONCE, Math.min(2 * availableParallelism(), held, MOST_AT_ONCE));
}

/** Limits of one run: its own first, then the sandbox's. */
export function limitsOfRun(
  defaults: DefaultLimits,
  { limits = {} }: SandboxProgram,
  timeoutMs: number,
): SandboxLimits {
  return { cpuSeconds: Math.ceil(timeoutMs / 1000), ...defaults, ...limits };
}

/** Fixed number of slots, each used by one job at a time. */
interface Slots {
  /**
   * Runs a job in the next free slot, numbered from 0. A job aborted while waiting never starts. Background programs
   * come last and, with more than two slots, leave one free.
   */
  use<T>(
    work: (slot: number) => Promise<T>,
    program: Pick<SandboxProgram, 'isBackground'>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Waits for all jobs to end. */
  drained(): Promise<void>;
}

/** Creates `count` places. */
export function createSlots(count: number): Slots {
  const queue = new PQueue({ concurrency: count });
  const background = new PQueue({ concurrency: count > 2 ? count - 1 : count });
  const free = Array.from({ length: count }, (_, slot) => slot);
  const inPlace = async <T>(work: (slot: number) => Promise<T>, signal: AbortSignal) => {
    signal.throwIfAborted();
    const slot = free.shift()!;
    try {
      return await work(slot);
    } finally {
      free.push(slot);
    }
  };
  return {
    use: (work, { isBackground = false }, signal) => {
      if (!isBackground) return queue.add(() => inPlace(work, signal));
      return background.add(() => queue.add(() => inPlace(work, signal), { priority: -1 }));
    },
    drained: async () => {
      await background.onIdle();
      await queue.onIdle();
    },
  };
}
