import { readFileSync } from 'node:fs';
import type { SandboxLimits } from '../../contract/sandbox.ts';

/** Targets of the probing program, reachable unless the sandbox prevents it. */
export interface ProbeTargets {
  /** Listening TCP port on the loopback. */
  readonly port: number;
  /** Listening abstract unix socket; it belongs to a network namespace too. */
  readonly socketName: string;
  /** World-readable file. */
  readonly file: string;
  /** A process of ours. */
  readonly pid: number;
}

const MEGABYTE = 1024 * 1024;

/** Limits that probing programs reach soon. */
export const PROBE_LIMITS: Partial<SandboxLimits> = {
  cpuSeconds: 3,
  processes: 8,
  fileBytes: MEGABYTE,
  openFiles: 32,
  diskBytes: 4 * MEGABYTE,
};

/** Limit of the program that uses too much memory. */
export const MEMORY_PROBE_BYTES = 96 * MEGABYTE;

/** A program of `probes/`. */
export function probeText(name: 'promises' | 'memory' | 'lingering' | 'writing'): string {
  return readFileSync(new URL(`probes/${name}.py`, import.meta.url), 'utf8');
}
