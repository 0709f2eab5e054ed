import { availableParallelism, totalmem } from 'node:os';
import PQueue from 'p-queue';
import type { SandboxLimits, SandboxProgram } from '../../contract/sandbox.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';

const MEGABYTE = 1024 * 1024;

/** Files and folders of a program: each takes about a kilobyte of the kernel's memory, however empty. */
export const MAX_INODES = 8192;

/** Limits of programs; CPU time without a number is as much as the wall clock allows one thread. */
export type DefaultLimits = Omit<SandboxLimits, 'cpuSeconds'> & { readonly cpuSeconds?: number };

/** What a sandbox allows where nobody says otherwise: the defaults of `tools.code`. */
export const DEFAULT_LIMITS: DefaultLimits = {
  memoryBytes: 512 * MEGABYTE,
  processes: 24,
  fileBytes: 16 * MEGABYTE,
  openFiles: 64,
  outputBytes: 4 * MEGABYTE,
  diskBytes: 64 * MEGABYTE,
};

/** The limits of a configuration. */
export function limitsOf(config: CodeConfig): DefaultLimits {
  return {
    ...(config.cpu_s !== undefined && { cpuSeconds: config.cpu_s }),
    ...DEFAULT_LIMITS,
    memoryBytes: config.memory_mb * MEGABYTE,
  };
}

/** As many user ids as root has for the programs of one process, see `slotUid`. */
const MOST_AT_ONCE = 64;
const LEAST_AT_ONCE = 2;

/**
 * Programs that run at once where nobody says how many. Two a processor: a short program spends half of its time waiting
 * for its start and its pipes, and one that never ends leaves the other place to others.
 */
export function programsAtOnce({ memoryBytes }: Pick<SandboxLimits, 'memoryBytes'>): number {
  const held = Math.floor(totalmem() / 2 / memoryBytes);
  return Math.max(LEAST_AT_ONCE, Math.min(2 * availableParallelism(), held, MOST_AT_ONCE));
}

/** The limits of one run: its own, where it has any, before the sandbox's. */
export function limitsOfRun(
  defaults: DefaultLimits,
  { limits = {} }: SandboxProgram,
  timeoutMs: number,
): SandboxLimits {
  return { cpuSeconds: Math.ceil(timeoutMs / 1000), ...defaults, ...limits };
}

/** A number of places, each used by one piece of work at a time. */
interface Slots {
  /**
   * Runs work for a program in the next free place, numbered from 0. Work that is aborted before its turn never begins.
   * Background programs come after all others and, where there are more than two places, leave them one.
   */
  use<T>(
    work: (slot: number) => Promise<T>,
    program: Pick<SandboxProgram, 'isBackground'>,
    signal: AbortSignal,
  ): Promise<T>;
  /** Waits for all work to end. */
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
