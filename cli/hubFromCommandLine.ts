import { constants, copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../base/systemClock.ts';
import { UserError } from '../base/userError.ts';
import { fetchHubFiles } from '../calls/hub/fetchHubFiles.ts';
import { hubAddressText, parseHubAddress } from '../calls/hub/hubAddress.ts';
import type { FetchedFile } from '../calls/hub/hubCache.ts';
import { hubSettings } from '../calls/hub/hubClient.ts';
import { pushDataset } from '../operations/exportRecords/pushDataset.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { formatBytes, formatTable, timeLeft } from './format.ts';
import { LiveView } from './liveView.ts';
import { stopOnSignals } from './stopOnSignals.ts';

interface FetchCommandOptions {
  readonly to?: string;
  readonly json?: true;
}

/** `coa-distill fetch`: downloads and verifies files from the Hugging Face hub into its cache or a folder. */
export async function fetchFromCommandLine(text: string, { to, json }: FetchCommandOptions): Promise<void> {
  const address = parseHubAddress(text);
  using view = new LiveView();
  using stop = stopOnSignals({ resume: 'the same command' });
  const settings = hubSettings(process.env);
  const { commit, files } = await fetchHubFiles(address, {
    settings,
    signal: stop.signal,
    onProgress: fetchProgress(view),
  });
  view.clear();
  const placed = to === undefined ? files : files.map((file) => ({ ...file, file: copyInto(to, file) }));
  const pinned = hubAddressText(address, commit);
  if (json) console.log(JSON.stringify({ address: pinned, commit, files: placed }));
  else printFiles(placed, pinned);
}

/** Copies to the file's path in the repository; never overwrites another file. */
function copyInto(folder: string, { path, file, bytes }: FetchedFile): string {
  const copy = join(folder, path);
  if (existsSync(copy) && statSync(copy).size !== bytes)
    throw new UserError(`${copy}: another file is there; move it away, or name another folder with --to`);
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(file, copy, constants.COPYFILE_FICLONE);
  return copy;
}

function printFiles(files: readonly FetchedFile[], pinned: string): void {
  const rows = files.map(({ path, bytes, fetchedBytes, file }) => [
    path,
    formatBytes(bytes),
    fetchedBytes === 0 && bytes > 0 ? 'was here' : 'fetched',
    file,
  ]);
  for (const line of formatTable([['file', 'size', '', 'at'], ...rows])) console.log(line);
  console.log(`\nThe same files later, whatever changes there: ${pinned}`);
}

function fetchProgress(view: LiveView): (bytes: number, totalBytes: number, path: string) => void {
  const startedMs = systemClock.monotonicMs();
  let began: number | undefined;
  return (bytes, totalBytes, path) => {
    began ??= bytes / totalBytes;
    if (!view.isDue()) return;
    const left = timeLeft(began, bytes / totalBytes, systemClock.monotonicMs() - startedMs);
    view.show([`${formatBytes(bytes)} of ${formatBytes(totalBytes)}${left} · ${path}`]);
  };
}

interface PushCommandOptions {
  readonly private?: true;
  readonly json?: true;
}

export async function pushFromCommandLine(
  run: string,
  to: string,
  options: PushCommandOptions,
): Promise<void> {
  const address = parseHubAddress(to);
  const { folder } = await findRun(run);
  using stop = stopOnSignals({ resume: 'the same command' });
  const visibility = options.private ? 'private' : 'public';
  const settings = hubSettings(process.env);
  const pushed = await pushDataset(folder, address, {
    settings,
    signal: stop.signal,
    visibility,
  });
  if (options.json) return console.log(JSON.stringify(pushed));
  console.log(`${pushed.files} files, ${formatBytes(pushed.bytes)}, pushed: ${pushed.commitUrl}`);
}
