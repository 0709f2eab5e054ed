import type { Attack } from './attack.ts';
import { hostFiles, hostProcesses } from './hostAttacks.ts';
import { devices, mounts, namespaces, privileges } from './kernelAttacks.ts';
import { neighbours } from './neighbours.ts';
import { network } from './network.ts';
import { memory, resources } from './resourceAttacks.ts';
import { leftovers, outlasting } from './stayingAttacks.ts';

/** All attacks. */
export const attacks: readonly Attack[] = [
  ...hostFiles,
  ...hostProcesses,
  ...neighbours,
  ...network,
  ...devices,
  ...mounts,
  ...namespaces,
  ...privileges,
  ...memory,
  ...resources,
  ...leftovers,
  ...outlasting,
];
