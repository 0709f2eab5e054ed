import { appendFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import type { Resources } from '../../base/resources.ts';
import { documentSchema, type SourceDocument } from '../../schemas/synthesis/fact.ts';
import { plantedPath } from '../run/stageFiles.ts';
import { stageRecords } from '../run/stageInputs.ts';

interface EmbeddedRoles {
  readonly seed: number;
  readonly runFolder: string;
  /** Share of the answers that a fault is planted in. */
  readonly rate: number;
  /** Adds a line to the run's list of what is planted; absent: in its folder. */
  readonly notePlanted?: (line: string) => Promise<void>;
}

/**
 * Starts the server of the embedded model that makes and checks tasks: real HTTP on the loopback, as an endpoint's. What
 * it plants is noted before the answer leaves.
 *
 * @returns its base URL
 */
export async function startEmbeddedRoles(
  { seed, runFolder, rate, ...given }: EmbeddedRoles,
  resources: Resources,
): Promise<string> {
  const { startScriptedServer } = await import('../../teachers/scripted/startScriptedServer.ts');
  const { createSynthesisPlayer } = await import(
    '../../teachers/scripted/synthesis/createSynthesisPlayer.ts'
  );
  const planted = plantedPath(runFolder);
  const requestLog = join(dirname(planted), 'requests.jsonl');
  await onDisk(planted, () => mkdir(dirname(planted), { recursive: true }));
  const { notePlanted = (line: string) => appendFileSync(planted, line) } = given;
  const remembered: SourceDocument[] = [];
  for await (const { record } of stageRecords(runFolder, 'documents', documentSchema))
    remembered.push(record);
  const script = createSynthesisPlayer({
    ...{ seed, rate, remembered },
    onPlanted: (fault) => notePlanted(`${JSON.stringify(fault)}\n`),
  });
  const server = await startScriptedServer({ script, requestLog });
  resources.keep({ close: () => onDisk(requestLog, () => server.close()) });
  return server.baseUrl;
}
