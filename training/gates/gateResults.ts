import type { GateResult } from '../../contract/trainingGate.ts';

/** The gate lets the job through. */
export const pass: GateResult = { kind: 'pass' };

/** The gate stops the job. The message says what is wrong and what to change. */
export function refuse(message: string): GateResult {
  return { kind: 'refuse', message };
}

/** The job is sound, and this machine lacks what it takes. The message says what, and how to get it. */
export function lacks(message: string): GateResult {
  return { kind: 'lacks', message };
}

/** The gate could not look. The message says at what, and why. */
export function unchecked(message: string): GateResult {
  return { kind: 'unchecked', message };
}
