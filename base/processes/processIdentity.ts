import { readFileSync, readlinkSync } from 'node:fs';
import { systemErrorCode } from '../files/diskError.ts';

/**
 * Distinguishes a process from a later one with the same id: the system's boot id and the start time in ticks
 * (`proc_pid_stat(5)`, field 22). Null if the system does not tell, and for missing and zombie processes.
 */
export function processIdentity(pid: number): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const started = statFields(pid)?.[19];
    return started === undefined ? null : `${boot}/${started}`;
  } catch {
    return null;
  }
}

/**
 * Fields of `/proc/PID/stat` from the third on (`proc_pid_stat(5)`). Undefined for a zombie. Throws what reading
 * throws.
 */
export function statFields(pid: number): string[] | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields;
}

/** PID namespace of this process (`pid_namespaces(7)`). Null if the system does not tell. */
export function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

/**
 * True if a process of this machine still runs and is the same one.
 * @param identity its `processIdentity` when it was known to run; null where the system did not say
 */
export function isProcessAlive(pid: number, identity: string | null): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if (systemErrorCode(error) === 'ESRCH') return false;
  }
  return identity === null || identity === processIdentity(pid);
}
