import type { Attack } from './attack.ts';
import { devices } from './devices.ts';
import { hostFiles } from './hostFiles.ts';
import { hostProcesses } from './hostProcesses.ts';
import { leftovers } from './leftovers.ts';
import { memory } from './memory.ts';
import { mounts } from './mounts.ts';
import { namespaces } from './namespaces.ts';
import { neighbours } from './neighbours.ts';
import { network } from './network.ts';
import { outlasting } from './outlasting.ts';
import { privileges } from './privileges.ts';
import { resources } from './resources.ts';

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
