import { readdirSync, readFileSync } from 'node:fs';

/** Processes of this machine with a text among their arguments, those in sandboxes too. */
export function processesWith(argument: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && argumentsOf(name).includes(argument))
    .map(Number);
}

function argumentsOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended since.
    return [];
  }
}
