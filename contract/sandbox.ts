import type { sandboxPromises } from '../schemas/config/tools/code.ts';

/** Something that a sandbox promises: see `sandboxPromises`. */
export type SandboxPromise = (typeof sandboxPromises)[number];

/** What was found about a promise by trying to break it. */
export interface PromiseFinding {
  readonly promise: SandboxPromise;
  readonly kept: boolean;
  /** What keeps it; or what got through. */
  readonly found: string;
}

/** What all processes of one run may use together, unless a field says otherwise. */
export interface SandboxLimits {
  /** CPU time. */
  readonly cpuSeconds: number;
  /** Memory, files in the working folder counted in; also the address space of each process. */
  readonly memoryBytes: number;
  /** Processes and threads at once. */
  readonly processes: number;
  /** Size of each file that is written. */
  readonly fileBytes: number;
  /** Open files of each process. */
  readonly openFiles: number;
  /** Read of each of the two output streams. */
  readonly outputBytes: number;
  /** Files in the working folder. */
  readonly diskBytes: number;
}

/** A Python program and what it may use. Limits that are absent are the sandbox's own. */
export interface SandboxProgram {
  readonly code: string;
  readonly stdin: string;
  /** Wall-clock limit. */
  readonly timeoutMs?: number;
  readonly limits?: Partial<SandboxLimits>;
  /** True where no conversation waits for it: it begins when no other program waits for a place. Default: false. */
  readonly isBackground?: boolean;
}

/** How a program ended. */
export interface SandboxResult {
  /** `timed_out`: the wall clock or the CPU time was used up. */
  readonly kind: 'exited' | 'timed_out' | 'output_limit' | 'memory_limit';
  /** Exit status; 128 + signal number when a signal ended it; null when it was cut off. */
  readonly exitCode: number | null;
  /** Cut at the sandbox's output limit. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/**
 * A place to run programs that nobody trusts. `run` throws `RecordFailure` (`sandbox_unavailable`) when it can't, and
 * `UserError` for paths and files that no sandbox takes.
 */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'pyodide';
  /** False for back ends that only separate, and must not be given programs from strangers. */
  readonly isolates: boolean;
  run(program: SandboxProgram, signal: AbortSignal): Promise<SandboxResult>;
  close(): Promise<void>;
}
