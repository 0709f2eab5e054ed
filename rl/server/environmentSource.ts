import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../base/userError.ts';
import type { Session } from '../../contract/session.ts';
import type { TestStore } from '../../contract/testStore.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { type ConfigFingerprint, fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import { type LoadedConfig, loadConfig } from '../../pipeline/config/loadConfig.ts';
import { configOfRun } from '../../pipeline/config/parseConfig.ts';
import { loadDotEnv } from '../../pipeline/config/toolsConfig.ts';
import { runFolderOf } from '../../pipeline/executeRun.ts';
import { openTestStore } from '../../pipeline/run/openTestStore.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { tasksOfConfig } from '../../pipeline/stages/openTaskStages.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type Task, taskSchema } from '../../schemas/task.ts';

export interface EnvironmentSource {
  readonly name: string;
  readonly config: Config;
  readonly profiles: ProfileRegistry;
  readonly shaping: ConfigFingerprint;
  readonly runFolder: string;
  readonly testStore: TestStore;
  readonly tasks: AsyncIterable<Task>;
}

/**
 * Source from a run: tasks, tools and judges.
 *
 * @param configFile - Settings in place of the run's own, for instance of other tools; its tasks are ignored.
 * @throws UserError for a run without tasks
 */
export async function sourceOfRun(
  { folder, run }: { readonly folder: string; readonly run: RunFile },
  configFile: string | undefined,
): Promise<EnvironmentSource> {
  if (run.imported)
    throw new UserError(`${folder}: an imported run has no tasks to serve; name a configuration with tasks`);
  const place = { name: run.name, runFolder: folder, testStore: openTestStore(folder, { writes: false }) };
  const tasks = tasksOfRun(folder);
  if (configFile !== undefined) {
    const loaded = await loadNamed(configFile);
    return { ...place, ...loaded, shaping: await fingerprintConfig(loaded), tasks };
  }
  return {
    ...place,
    config: configOfRun(run),
    profiles: profilesOfRun(run.config),
    shaping: run.shaping as ConfigFingerprint,
    tasks,
  };
}

async function* tasksOfRun(folder: string): AsyncGenerator<Task> {
  for await (const { record } of stageRecords(folder, 'tasks', taskSchema)) yield record;
}

function loadNamed(file: string): Promise<LoadedConfig> {
  loadDotEnv(file);
  return loadConfig(file);
}

/**
 * Source from a configuration without a run; tests of programs are kept in a temporary folder until the session ends.
 */
export async function sourceOfConfig(
  file: string,
  { resources }: Pick<Session, 'resources'>,
): Promise<EnvironmentSource> {
  const loaded = await loadNamed(file);
  const { config, profiles, name } = loaded;
  const scratch = await mkdtemp(join(tmpdir(), 'coa-rl-'));
  resources.keep({ close: () => rm(scratch, { recursive: true, force: true }) });
  const testStore = openTestStore(scratch, { writes: true });
  const tasks = tasksOfConfig(loaded, testStore);
  const runFolder = runFolderOf(loaded, name);
  return { name, config, profiles, shaping: await fingerprintConfig(loaded), runFolder, testStore, tasks };
}
