import type { Clock } from '../../base/clock.ts';
import type { Launcher } from '../../contract/launcher.ts';
import type { LauncherName } from '../../schemas/training/trainingPlan.ts';
import { createProcessLauncher } from './createProcessLauncher.ts';
import { createKubernetesLauncher } from './kubernetesLauncher.ts';
import { pollingLauncher } from './pollingLauncher.ts';
import { createRayLauncher } from './rayLauncher.ts';
import { createSlurmLauncher } from './slurmLauncher.ts';

/** Controllers serve whole sites: they are asked every few seconds at most. */
const SITE_INTERVAL_MS = 5_000;
/** A Ray cluster serves a group. */
const RAY_INTERVAL_MS = 2_000;

/** The launcher of a name. */
export function launcherOf(name: LauncherName, clock: Clock): Launcher {
  switch (name) {
    case 'local':
    case 'torchrun':
      return createProcessLauncher(name, clock);
    case 'slurm':
      return pollingLauncher(createSlurmLauncher(clock), clock, SITE_INTERVAL_MS);
    case 'ray':
      return pollingLauncher(createRayLauncher(clock), clock, RAY_INTERVAL_MS);
    case 'kubernetes':
      return pollingLauncher(createKubernetesLauncher(), clock, SITE_INTERVAL_MS);
  }
}
