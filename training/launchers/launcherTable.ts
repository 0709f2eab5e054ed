import type { Launcher } from '../../contract/launcher.ts';
import type { LauncherName } from '../../schemas/training/jobNames.ts';
import { kubernetesLauncher } from './kubernetes/kubernetesLauncher.ts';
import { localLauncher, torchrunLauncher } from './processLaunchers.ts';
import { rayLauncher } from './ray/rayLauncher.ts';
import { slurmLauncher } from './slurm/slurmLauncher.ts';

export const launcherTable: Readonly<Record<LauncherName, Launcher>> = {
  local: localLauncher,
  torchrun: torchrunLauncher,
  slurm: slurmLauncher,
  ray: rayLauncher,
  kubernetes: kubernetesLauncher,
};
