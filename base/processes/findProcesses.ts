import { readdirSync, readFileSync } from 'node:fs';
import { statFields } from './processIdentity.ts';

/**
 * Processes of this machine whose environment holds a variable with this very value, wherever they were moved to: a
 * process can leave its group, its session and its parent, and keeps the environment that it was started with.
 *
 * @returns process ids without this process's own; undefined where the system has no `/proc`. Processes of other users
 *   and such that have ended are not seen.
 */
export function findProcesses(variable: string, value: string): number[] | undefined {
  const wanted = Buffer.from(`\0${variable}=${value}\0`);
  const has = (pid: number) =>
    ifReadable(() => Buffer.concat([Buffer.of(0), readFileSync(`/proc/${pid}/environ`)]))?.includes(wanted);
  return processIds()?.filter((pid) => pid !== process.pid && has(pid));
}

/**
 * A process of this machine with its descendants, and with the members of the group and the session that it leads, by
 * `/proc/PID/stat` (`proc_pid_stat(5)`, fields 4 to 6). A process that left its session and whose parent has ended is
 * not seen.
 *
 * @returns process ids without this process's own, none of a process that has ended; undefined where the system has no
 *   `/proc`
 */
export function processTree(leader: number): number[] | undefined {
  const places = processIds()?.flatMap((pid) => ifReadable(() => placeOf(pid)) ?? []);
  const tree = new Set([leader]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid, parent, group, session } of places ?? [])
      if (tree.has(parent) || group === leader || session === leader) tree.add(pid);
  }
  return places?.map(({ pid }) => pid).filter((pid) => tree.has(pid) && pid !== process.pid);
}

function processIds(): number[] | undefined {
  return ifReadable(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name)))?.map(Number);
}

function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function placeOf(pid: number) {
  const [parent, group, session] = statFields(pid)?.slice(1, 4).map(Number) ?? [];
  return parent === undefined ? undefined : { pid, parent, group, session };
}
