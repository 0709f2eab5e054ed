import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { keepDefinition as keptDefinition } from '../../calls/cache/keepDefinition.ts';
import type { RunCalls } from '../../contract/runCalls.ts';
import type { Teacher } from '../../contract/teacher.ts';
import { teacherTable } from '../../teachers/teacherTable.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { answersDependOn, cachingTools } from './cachingTools.ts';
import { startEmbeddedTeacher } from './embeddedTeacher.ts';
import type { LazySandbox } from './lazySandbox.ts';
import { openCache } from './openCache.ts';
import { createModelOpener, type EmbeddedEndpoint, modelsByRole, samplingOf } from './openModels.ts';
import type { Resources } from './resources.ts';
import { openToolModels } from './tools/openToolModels.ts';
import { type OpenToolsOptions, openTools } from './tools/openTools.ts';

/** What {@link openTeacher} works with. */
export interface OpenTeacherOptions {
  readonly loaded: LoadedConfig;
  readonly shaping: ConfigFingerprint;
  readonly runFolder: string;
  /** Tools that the run's profiles call. */
  readonly wanted: ReadonlySet<string>;
  readonly sandbox: LazySandbox | undefined;
  /** Answers come from the cache alone. */
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly calls: RunCalls;
  readonly log: (line: string) => void;
}

/** Opens the teacher of a run with its cache, its tools and, for an embedded one, its server. */
export async function openTeacher(options: OpenTeacherOptions, resources: Resources): Promise<Teacher> {
  const { loaded, shaping, runFolder, wanted, sandbox, offline, env, clock, calls, log } = options;
  const { config, profiles } = loaded;
  const cache = resources.keep(await openCache({ config, runFolder, offline, log }));
  if (wanted.has('code') && !offline) await sandbox?.open();
  const cacheFolder = join(runFolder, '..', '.cache');
  const open = createModelOpener({ clock, cache, offline, calls });
  const models = openToolModels({ config, env, clock, offline, calls, open });
  const keepDefinition: OpenToolsOptions['keepDefinition'] = (tag, ask) => {
    const { provider, settings } = answersDependOn(tag, config, shaping);
    return keptDefinition(
      { name: tag, provider, settings: settings.settings as JsonObject },
      { cache, offline, clock, log },
      ask,
    );
  };
  const tools = await openTools(
    { config, wanted, cacheFolder, env, sandbox, offline, models, clock, meter: calls, keepDefinition },
    resources,
  );
  const embedded = await openEmbedded(options, resources);
  return teacherTable[config.teacher.backend].create({
    modelFor: modelsByRole({ config, env, embedded, offline, open }),
    samplingFor: (role) => samplingOf(config, role),
    tools: cachingTools({ tools, config, shaping, cache, offline, clock, calls }),
    profileOf: profiles.profileOf,
    maxAsks: config.teacher.max_asks,
    budget: config.teacher.budget,
    clock,
  });
}

/** The server of an embedded teacher, and what its answers depend on; undefined for an endpoint of the user's own. */
async function openEmbedded(
  { loaded, shaping, runFolder }: OpenTeacherOptions,
  resources: Resources,
): Promise<EmbeddedEndpoint | undefined> {
  const { teacher, seed } = loaded.config;
  const { script } = teacherTable[teacher.backend];
  if (!script) return undefined;
  const baseUrl = await startEmbeddedTeacher(loaded, runFolder, resources);
  const settings = (shaping.rollout.teacher ?? {}) as JsonObject;
  const plays = {
    ...Object.fromEntries(script.keys.map((key) => [key, settings[key]])),
    ...script.dependsOn?.({ tasks: shaping.tasks, seed }),
    version: packageVersion(),
  };
  return { baseUrl, plays };
}
