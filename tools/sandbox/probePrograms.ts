import { readFileSync } from 'node:fs';
import type { SandboxLimits } from '../../contract/sandbox.ts';

/** What the probing program tries to reach; all of it is there for whoever is not kept out. */
export interface ProbeTargets {
  /** A TCP port that listens on the loopback. */
  readonly port: number;
  /** An abstract unix socket that listens; it belongs to a network namespace too. */
  readonly socketName: string;
  /** A file that everybody may read. */
  readonly file: string;
  /** A process of ours. */
  readonly pid: number;
}

const MEGABYTE = 1024 * 1024;

/** Limits that probing programs run into soon. */
export const PROBE_LIMITS: Partial<SandboxLimits> = {
  cpuSeconds: 3,
  processes: 8,
  fileBytes: MEGABYTE,
  openFiles: 32,
  diskBytes: 4 * MEGABYTE,
};

/** Limit of the program that holds too much memory. */
export const MEMORY_PROBE_BYTES = 96 * MEGABYTE;

/** A program of `probes/`. */
export function probeText(name: 'promises' | 'memory' | 'lingering' | 'writing'): string {
  return readFileSync(new URL(`probes/${name}.py`, import.meta.url), 'utf8');
}
