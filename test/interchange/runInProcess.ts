import { join } from 'node:path';
import { systemClock } from '../../base/systemClock.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { type FunnelStage, readFunnel } from '../../operations/report/funnel.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { silentObserver } from '../../pipeline/createSession.ts';
import { executeRun, type RunResult } from '../../pipeline/executeRun.ts';
import { type ImportRequest, loadImport } from '../../pipeline/import/loadImport.ts';
import { importingStage } from '../../pipeline/run/runFile.ts';

/** How far to run, and from where. */
export interface RunBounds {
  readonly from?: StageName;
  readonly until?: StageName;
}

/** Imports files named in a folder into a run of that folder. */
export async function runImport(
  folder: string,
  request: Omit<ImportRequest, 'map'> & { readonly map?: readonly string[] },
  bounds: RunBounds = {},
): Promise<RunResult & { readonly funnel: FunnelStage[]; readonly notes: string[] }> {
  const { configFile, files } = request;
  const loaded = await loadImport({
    map: [],
    ...request,
    files: files.map((file) => join(folder, file)),
    ...(configFile !== undefined && { configFile: join(folder, configFile) }),
  });
  return runLoaded(folder, loaded, request.name, { until: importingStage(request), ...bounds });
}

/** Runs a configuration into `runs/` of a folder. */
export async function runLoaded(folder: string, loaded: LoadedConfig, name: string, bounds: RunBounds) {
  const notes: string[] = [];
  const config = { ...loaded.config, runs_dir: join(folder, 'runs') };
  const result = await executeRun({
    loaded: { ...loaded, config },
    name,
    ...bounds,
    signal: new AbortController().signal,
    clock: systemClock,
    env: {},
    observer: silentObserver,
    log: (line) => notes.push(line),
  });
  return { ...result, notes, funnel: await readFunnel(result.folder) };
}
