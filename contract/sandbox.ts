import type { sandboxPromises } from '../schemas/config/tools/code.ts';

/** A guarantee of a sandbox: see `sandboxPromises`. */
export type SandboxPromise = (typeof sandboxPromises)[number];

/** Result of trying to break a guarantee. */
export interface PromiseFinding {
  readonly promise: SandboxPromise;
  readonly kept: boolean;
  /** Mechanism that enforces it, or what got through. */
  readonly found: string;
}

/** Shared limits of all processes of one run, unless a field says otherwise. */
export interface SandboxLimits {
  readonly cpuSeconds: number;
  /** Memory including files in the working folder; also the address space of each process. */
  readonly memoryBytes: number;
  /** Concurrent processes and threads. */
  readonly processes: number;
  /** Maximum size of each written file. */
  readonly fileBytes: number;
  /** Maximum open files per process. */
  readonly openFiles: number;
  /** Maximum bytes read from each output stream. */
  readonly outputBytes: number;
  /** Total size of files in the working folder. */
  readonly diskBytes: number;
}

/** A Python program and its limits; absent limits default to the sandbox's. */
export interface SandboxProgram {
  readonly code: string;
  readonly stdin: string;
  /** Wall-clock limit. */
  readonly timeoutMs?: number;
  readonly limits?: Partial<SandboxLimits>;
  /** True if no conversation waits for it: it starts only when no other program is queued. Default: false. */
  readonly isBackground?: boolean;
}

export interface SandboxResult {
  /** `timed_out`: wall-clock or CPU time was exhausted. */
  readonly kind: 'exited' | 'timed_out' | 'output_limit' | 'memory_limit';
  /** Exit status; 128 + signal number after a signal; null if it was cut off. */
  readonly exitCode: number | null;
  /** Truncated at the sandbox's output limit. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/**
 * Runs untrusted programs. `run` throws `RecordFailure` (`sandbox_unavailable`) if it cannot, and `UserError` for
 * paths and files that no sandbox accepts.
 */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'pyodide';
  /** False for back ends that only separate and must not run programs from strangers. */
  readonly isolates: boolean;
  run(program: SandboxProgram, signal: AbortSignal): Promise<SandboxResult>;
  close(): Promise<void>;
}
