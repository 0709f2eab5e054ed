import { UserError } from '../../../base/userError.ts';
import type { Launcher } from '../../../contract/launcher.ts';
import { runScriptFile } from '../../render/runScript.ts';
import { processControl } from './processControl.ts';

/** What both share: `run.sh` as processes of this machine. */
const ofThisMachine = {
  runsHere: true,
  hasOwnFiles: false,
  render: () => ({ files: [], start: { argv: ['bash', runScriptFile], env: {} } }),
  open: processControl,
} as const;

/** A job on this machine alone. */
export const localLauncher: Launcher = {
  ...ofThisMachine,
  name: 'local',
  startedOnEachMachine: false,
  refuse({ nodes }) {
    if (nodes === 1) return;
    throw new UserError(
      `training.nodes: expected 1 for launcher local, got ${nodes}; use torchrun, slurm, ray or kubernetes for several machines`,
    );
  },
};

/** This machine's share of a job over several machines without a scheduler. */
export const torchrunLauncher: Launcher = {
  ...ofThisMachine,
  name: 'torchrun',
  startedOnEachMachine: true,
  rendezvous({ torchrun }) {
    if (torchrun.rendezvous === null) return undefined;
    return `export RDZV_ENDPOINT="\${RDZV_ENDPOINT:-${torchrun.rendezvous}}"\n`;
  },
};
