import type { Launcher } from '../../../contract/launcher.ts';
import { pollingControl } from '../pollingControl.ts';
import { rayControl } from './rayControl.ts';
import { rayAddress, rayAddressVariable, rayFiles, raySubmitFile } from './rayFiles.ts';

/** A Ray cluster serves a group: it may be asked more often than a site's scheduler. */
const INTERVAL_MS = 2_000;

/** A job of a Ray cluster. */
export const rayLauncher: Launcher = {
  name: 'ray',
  hasRay: true,
  runsHere: false,
  startedOnEachMachine: false,
  hasOwnFiles: false,
  render: (plan, request) => ({
    files: rayFiles(plan, request),
    start: {
      argv: ['bash', raySubmitFile],
      env: { [rayAddressVariable]: rayAddress(request.training.ray.address) },
    },
  }),
  open: (clock) => pollingControl(rayControl(clock), clock, INTERVAL_MS),
};
