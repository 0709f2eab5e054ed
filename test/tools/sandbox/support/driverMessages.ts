import type { SandboxResult } from '../../../../contract/sandbox.ts';

/** Where programs are run: in a sandbox, or bare, which is Python without any. */
export type World = 'bare' | 'bubblewrap';

/** What is run where. */
export interface DriverProgram {
  readonly world: World;
  /** Python; the driver puts `VICTIM` and `DRIVER`, process ids, before it. */
  readonly code: string;
  readonly timeoutMs: number;
}

/** What the tests ask of a driver. */
export type DriverRequest =
  | (DriverProgram & { readonly id: number; readonly stop?: false })
  /** Ends the request of that number, which is answered with a failure. */
  | { readonly id: number; readonly stop: true };

/** What a driver answers; either a result or a failure. */
export interface DriverReply {
  readonly id: number;
  readonly result?: SandboxResult;
  readonly failure?: string;
  /** Whether the process that was there for the program to attack still lives. */
  readonly victimLives: boolean;
  /** The most memory that the driver itself ever had. */
  readonly peakBytes: number;
}
