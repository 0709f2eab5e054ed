import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Resources } from '../../base/resources.ts';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import { uncountedCalls } from '../../calls/sessionCalls.ts';
import { loadSettings } from '../../operations/standalone/loadSettings.ts';
import { openJudgeModel } from '../../pipeline/compose/openSectionModels.ts';
import { checkedServiceUrl } from '../../pipeline/config/loadConfig.ts';
import { loadDotEnv } from '../../pipeline/config/toolsConfig.ts';
import { createSession } from '../../pipeline/createSession.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { CalibratedJudge } from '../../schemas/judgeCalibration.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';

export interface CalibrateOptions {
  readonly config?: string;
  readonly set: readonly string[];
  readonly model?: string;
  readonly baseUrl?: string;
  readonly votes?: number;
  readonly judge?: CalibratedJudge;
  readonly limit?: number;
  /** The run whose reviews are the labels, in the place of a file. */
  readonly reviews?: string;
  readonly cache: string;
  readonly json?: true;
}

/** The configuration that is measured: flag over environment over file. Throws `UserError` for what is wrong with it. */
export async function calibrationSettings(
  options: Pick<CalibrateOptions, 'config' | 'set' | 'model' | 'baseUrl' | 'votes'>,
): Promise<Config> {
  if (options.config !== undefined) loadDotEnv(options.config);
  const baseUrl =
    options.baseUrl === undefined ? undefined : checkedServiceUrl(options.baseUrl, '--base-url');
  const flags = [
    ...(options.model === undefined ? [] : [`judge.model.model=${JSON.stringify(options.model)}`]),
    ...(baseUrl === undefined ? [] : [`judge.model.endpoint.base_url=${JSON.stringify(baseUrl)}`]),
    ...(options.votes === undefined ? [] : [`judge.model.votes=${options.votes}`]),
  ];
  const { config } = await loadSettings({
    ...(options.config !== undefined && { config: options.config }),
    set: [...options.set, ...flags],
  });
  const environment = process.env.OPENAI_BASE_URL?.trim();
  if (!environment || config.teacher.endpoint.base_url !== undefined) return config;
  const base_url = checkedServiceUrl(environment, 'the environment variable OPENAI_BASE_URL');
  const { teacher } = config;
  return { ...config, teacher: { ...teacher, endpoint: { ...teacher.endpoint, base_url } } };
}

/** Opens the model of the configuration behind a cache; undefined where there is none. */
export async function openCalibratedModel(
  config: Config,
  cacheFile: string,
  { resources, drain }: { readonly resources: Resources; readonly drain: AbortSignal },
): Promise<JudgeModel | undefined> {
  if (!config.judge.model) return undefined;
  mkdirSync(dirname(cacheFile), { recursive: true });
  const log = (line: string): void => console.error(line);
  const cache = resources.keep(await SqliteAnswerCache.open(cacheFile, log));
  const calls = uncountedCalls(drain);
  return openJudgeModel(config, cache, createSession({ calls, log, resources }));
}
