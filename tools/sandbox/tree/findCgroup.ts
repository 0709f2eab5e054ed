import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { unlessGone } from './processTree.ts';

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
