import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RecordFailure } from '../../../contract/errors.ts';
import { processTree, unlessGone } from './processTree.ts';

/** Control group for the memory of one program at a time. */
export interface Cgroup {
  /** Sets the limit and moves a process with its current children into the group. */
  enter(pid: number, memoryBytes: number): Promise<void>;
  /**
   * Number of out-of-memory kills in the group. Throws `RecordFailure` (`sandbox_unavailable`) if the group was
   * removed, as `enter` does.
   */
  kills(): number;
  remove(): Promise<void>;
}

/** Memory allowance for the shell and the sandbox's own processes. */
const OWN_BYTES = 8 * 1024 * 1024;

/** File names of a memory group by version. */
const files = {
  1: { limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  2: { limit: 'memory.max', events: 'memory.events' },
} as const;

/**
 * Creates or reuses a control group named `name` in a parent.
 *
 * Moving a process takes the kernel milliseconds; the program is sent afterwards, so that it starts inside.
 */
export function createCgroup({ folder: parent, version }: CgroupParent, name: string): Cgroup {
  const folder = path.join(parent, name);
  mkdirSync(folder, { recursive: true });
  const { limit, events } = files[version];
  return {
    enter: async (pid, memoryBytes) => {
      await writeFile(path.join(folder, limit), String(memoryBytes + OWN_BYTES)).catch(unavailable);
      await move(folder, pid);
      // A child may have started before the first move; later ones start inside.
      for (const child of processTree(pid).slice(1)) await move(folder, child);
    },
    kills: () => killsIn(path.join(folder, events)),
    remove: () => removeGroup(folder),
  };
}

/** Name prefix of our groups, followed by the creating process. */
const NAME_START = 'coa-distill-';

/** Unique group name across processes and calls. */
export function cgroupName(count: number, slot: number): string {
  return `${NAME_START}${process.pid}-${count}-${slot}`;
}

/** Removes groups of killed processes. The kernel keeps those in use. */
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
    // The process has ended meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') unavailable(cause as Error);
  }
}

function unavailable(cause: Error): never {
  throw new RecordFailure('sandbox_unavailable', `the control group failed: ${cause.message}`, {}, { cause });
}

const REMOVE_TRIES = 50;
const REMOVE_AGAIN_MS = 10;

/** Removes a group with retries: the kernel releases it shortly after its last process. */
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

/** Control group that may contain others. */
export interface CgroupParent {
  readonly folder: string;
  readonly version: 1 | 2;
}

/**
 * Finds a parent for memory control groups; undefined without one. `named` is a folder given by the user; otherwise
 * our own group or its parent in version 2, if delegated to us.
 */
export function findCgroup(named: string | undefined): CgroupParent | undefined {
  if (named !== undefined) return usable(named);
  const own = ownGroup();
  if (own === undefined) return undefined;
  return [own, path.dirname(own)].map(usable).find((parent) => parent?.version === 2);
}

/** Folder of our own version 2 group. */
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
