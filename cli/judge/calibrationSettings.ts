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
import type { JudgeModel } from '../../stages/judge/castVotes.ts';

export interface CalibrateOptions {
  readonly config?: string;
  readonly set: readonly string[];
  readonly limit?: number;
  /** The run whose reviews are the labels, in the place of a file. */
  readonly reviews?: string;
  readonly json?: true;
}

/** The configuration that is measured: `--set` over environment over file. Throws `UserError` for what is wrong with it. */
export async function calibrationSettings(
  options: Pick<CalibrateOptions, 'config' | 'set'>,
): Promise<Config> {
  if (options.config !== undefined) loadDotEnv(options.config);
  const { config } = await loadSettings({
    ...(options.config !== undefined && { config: options.config }),
    set: options.set,
  });
  const environment = process.env.OPENAI_BASE_URL?.trim();
  if (!environment || config.teacher.model.endpoint.base_url !== undefined) return config;
  const base_url = checkedServiceUrl(environment, 'the environment variable OPENAI_BASE_URL');
  const { model } = config.teacher;
  const endpoint = { ...model.endpoint, base_url };
  return { ...config, teacher: { ...config.teacher, model: { ...model, endpoint } } };
}

/** The model's answers, which are not paid for twice. */
const CACHE = 'runs/.cache/judge.sqlite';

/** Opens the model of the configuration behind a cache; undefined where there is none. */
export async function openCalibratedModel(
  config: Config,
  { resources, drain }: { readonly resources: Resources; readonly drain: AbortSignal },
): Promise<JudgeModel | undefined> {
  if (!config.judge.model) return undefined;
  mkdirSync(dirname(CACHE), { recursive: true });
  const log = (line: string): void => console.error(line);
  const cache = resources.keep(await SqliteAnswerCache.open(CACHE, log));
  const calls = uncountedCalls(drain);
  return openJudgeModel(config, cache, createSession({ calls, log, resources }));
}
