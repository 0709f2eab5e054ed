import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import type { Resources } from '../../base/resources.ts';
import type { ScriptedServerOptions } from '../../teachers/scripted/startScriptedServer.ts';

/**
 * Starts a run's scripted model as an HTTP server on the loopback interface, used like any endpoint. Requests are
 * logged in the run folder.
 *
 * @returns its base URL
 */
export async function startEmbeddedModel(
  runFolder: string,
  options: Omit<ScriptedServerOptions, 'requestLog'>,
  resources: Resources,
): Promise<string> {
  const { startScriptedServer } = await import('../../teachers/scripted/startScriptedServer.ts');
  const folder = join(runFolder, 'teacher');
  await onDisk(folder, () => mkdir(folder, { recursive: true }));
  const requestLog = join(folder, 'requests.jsonl');
  const server = await startScriptedServer({ ...options, requestLog });
  resources.keep({ close: () => onDisk(requestLog, () => server.close()) });
  return server.baseUrl;
}
