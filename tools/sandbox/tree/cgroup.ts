import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RecordFailure } from '../../../contract/errors.ts';
import { processTree, unlessGone } from './processTree.ts';

/** A control group that holds the memory of one program at a time. */
export interface Cgroup {
  /** Sets the limit and moves a process, and the children it has by now, into the group. */
  enter(pid: number, memoryBytes: number): Promise<void>;
  /**
   * How often the kernel has ended a process of the group for want of memory. Throws `RecordFailure`
   * (`sandbox_unavailable`) when the group was removed, as `enter` does.
   */
  kills(): number;
  remove(): Promise<void>;
}

/** What the shell and the sandbox's own processes may take beside the program. */
const OWN_BYTES = 8 * 1024 * 1024;

/** Names of the files of a memory group, by version. */
const files = {
  1: { limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  2: { limit: 'memory.max', events: 'memory.events' },
} as const;

/**
 * Makes a control group named `name` in a parent. A group of that name that a killed process left behind is used again.
 *
 * Moving a process costs the kernel milliseconds; the program is sent when that is done, so that it starts inside.
 */
export function createCgroup({ folder: parent, version }: CgroupParent, name: string): Cgroup {
  const folder = path.join(parent, name);
  mkdirSync(folder, { recursive: true });
  const { limit, events } = files[version];
  return {
    enter: async (pid, memoryBytes) => {
      await writeFile(path.join(folder, limit), String(memoryBytes + OWN_BYTES)).catch(unavailable);
      await move(folder, pid);
      // The first move may have come after a child was started; later ones are born inside.
      for (const child of processTree(pid).slice(1)) await move(folder, child);
    },
    kills: () => killsIn(path.join(folder, events)),
    remove: () => removeGroup(folder),
  };
}

/** Names of our groups begin so, followed by the process that made them. */
const NAME_START = 'coa-distill-';

/** A name for a group that no other process, and no other call in this one, uses. */
export function cgroupName(count: number, slot: number): string {
  return `${NAME_START}${process.pid}-${count}-${slot}`;
}

/** Removes groups that processes left behind which were killed. The kernel keeps those that are in use. */
export function removeLeftCgroups({ folder }: CgroupParent): void {
  for (const name of unlessGone(() => readdirSync(folder), [])) {
    const pid = new RegExp(`^${NAME_START}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    unlessGone(() => rmdirSync(path.join(folder, name)), undefined);
  }
}

function killsIn(events: string): number {
  try {
    return Number(/^oom_kill (\d+)/m.exec(readFileSync(events, 'utf8'))?.[1] ?? 0);
  } catch (cause) {
    return unavailable(cause as Error);
  }
}

async function move(folder: string, pid: number): Promise<void> {
  try {
    await writeFile(path.join(folder, 'cgroup.procs'), String(pid));
  } catch (cause) {
    // It has ended meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') unavailable(cause as Error);
  }
}

function unavailable(cause: Error): never {
  throw new RecordFailure('sandbox_unavailable', `the control group failed: ${cause.message}`, {}, { cause });
}

const REMOVE_TRIES = 50;
const REMOVE_AGAIN_MS = 10;

/** The kernel takes a moment to let a group go whose last process has ended. */
async function removeGroup(folder: string): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await rmdir(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || tried === REMOVE_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, REMOVE_AGAIN_MS));
    }
  }
}

/** A control group in which others may be made. */
export interface CgroupParent {
  readonly folder: string;
  readonly version: 1 | 2;
}

/**
 * Finds where we may make control groups that limit memory; undefined where nowhere. `named` is a folder that the user
 * gives away; otherwise our own group, or the one around it, of control groups version 2, where they are delegated to us.
 */
export function findCgroup(named: string | undefined): CgroupParent | undefined {
  if (named !== undefined) return usable(named);
  const own = ownGroup();
  if (own === undefined) return undefined;
  return [own, path.dirname(own)].map(usable).find((parent) => parent?.version === 2);
}

/** The folder of our own group of version 2. */
function ownGroup(): string | undefined {
  const group = /^0::(\/.*)$/m.exec(read('/proc/self/cgroup'))?.[1];
  const mount = /^\S+ (\S+) cgroup2 /m.exec(read('/proc/self/mounts'))?.[1];
  return group === undefined || mount === undefined ? undefined : path.join(mount, group);
}

function usable(folder: string): CgroupParent | undefined {
  const isWritable = unlessGone(() => {
    for (const part of [folder, path.join(folder, 'cgroup.procs')]) accessSync(part, constants.W_OK);
    return true;
  }, false);
  if (!isWritable) return undefined;
  if (existsSync(path.join(folder, 'memory.limit_in_bytes'))) return { folder, version: 1 };
  const passedOn = read(path.join(folder, 'cgroup.subtree_control')).trim().split(' ');
  return passedOn.includes('memory') ? { folder, version: 2 } : undefined;
}

function read(file: string): string {
  return unlessGone(() => readFileSync(file, 'latin1'), '');
}
