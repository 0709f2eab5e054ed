import { posix } from 'node:path';
import { UserError } from '../../../base/userError.ts';
import type { Launcher } from '../../../contract/launcher.ts';
import { pollingControl } from '../pollingControl.ts';
import { kubernetesControl } from './kubernetesControl.ts';
import { kubernetesFile, kubernetesManifest } from './kubernetesManifest.ts';

/** Controllers serve whole sites: they are asked every few seconds at most. */
const INTERVAL_MS = 5_000;

/** A job of a Kubernetes cluster: an indexed Job, or a TrainJob of Kubeflow. */
export const kubernetesLauncher: Launcher = {
  name: 'kubernetes',
  runsHere: false,
  startedOnEachMachine: false,
  hasOwnFiles: true,
  refuse({ kubernetes }) {
    if (kubernetes.image !== null) return;
    throw new UserError('training.kubernetes.image: expected an image with the trainer in it, got nothing');
  },
  rendezvous({ kubernetes }) {
    if (kubernetes.kind !== 'trainjob') return undefined;
    return `# Kubeflow says where the first pod is.
export RDZV_ENDPOINT="\${RDZV_ENDPOINT:-\${PET_MASTER_ADDR:?}:\${PET_MASTER_PORT:?}}"
`;
  },
  render(plan, { training: { kubernetes }, run, job, jobFolder, command }) {
    const { run_folder } = kubernetes;
    const folder = run_folder === null ? jobFolder : posix.join(run_folder, 'train', job);
    const text = kubernetesManifest(plan, kubernetes, { run, job, folder, ...(command && { command }) });
    return {
      files: [{ path: kubernetesFile, text, about: 'the manifest' }],
      start: { argv: ['kubectl', 'create', '-f', kubernetesFile], env: {} },
    };
  },
  open: (clock) => pollingControl(kubernetesControl(), clock, INTERVAL_MS),
};
