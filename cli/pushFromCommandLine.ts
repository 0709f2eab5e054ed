import { parseHubAddress } from '../calls/hub/hubAddress.ts';
import { hubSettings } from '../calls/hub/hubClient.ts';
import { pushDataset } from '../operations/exportRecords/pushDataset.ts';
import { findRun } from '../operations/findRun.ts';
import { formatBytes } from './format.ts';
import { stopOnSignals } from './stopOnSignals.ts';

export interface PushCommandOptions {
  readonly private?: true;
  readonly json?: true;
}

/** `coa-distill push`: a run's dataset to Hugging Face's hub. */
export async function pushFromCommandLine(
  run: string,
  to: string,
  options: PushCommandOptions,
): Promise<void> {
  const address = parseHubAddress(to);
  const { folder } = await findRun(run);
  const stop = stopOnSignals({ resume: 'the same command' });
  try {
    const visibility = options.private ? 'private' : 'public';
    const settings = hubSettings(process.env);
    const pushed = await pushDataset(folder, address, {
      settings,
      signal: stop.signal,
      visibility,
    });
    if (options.json) return console.log(JSON.stringify(pushed));
    console.log(`${pushed.files} files, ${formatBytes(pushed.bytes)}, pushed: ${pushed.commitUrl}`);
  } finally {
    stop.release();
  }
}
