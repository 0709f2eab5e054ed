/** A Python program and what it may use. Limits that are absent are the sandbox's defaults. */
export interface SandboxProgram {
  readonly code: string;
  readonly stdin: string;
  /** Wall-clock limit. */
  readonly timeoutMs?: number;
}

/** How a program ended. */
export interface SandboxResult {
  readonly kind: 'exited' | 'timed_out' | 'output_limit';
  /** Exit status; 128 + signal number when a signal ended it; null when it was cut off. */
  readonly exitCode: number | null;
  /** Cut at the sandbox's output limit. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** A place to run programs that nobody trusts. `run` throws `RecordFailure` (`sandbox_unavailable`) when it can't. */
export interface Sandbox {
  readonly name: 'bubblewrap' | 'pyodide';
  /** False for back ends that only separate, and must not be given programs from strangers. */
  readonly isolates: boolean;
  run(program: SandboxProgram, signal: AbortSignal): Promise<SandboxResult>;
  close(): Promise<void>;
}
