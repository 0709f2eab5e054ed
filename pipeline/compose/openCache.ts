import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Config } from '../../schemas/config/config.ts';

/** The cache of a run: its own, or the one that the configuration names. */
export function cachePath({ cache }: Pick<Config, 'cache'>, runFolder: string): string {
  return cache.file ?? join(runFolder, 'cache.sqlite');
}

/** The answers of a session: those that it shares, or its run's cache, open until it ends. Throws `UserError` when it can't be had, or is missing offline. */
export async function openCache(
  config: Pick<Config, 'cache'>,
  runFolder: string,
  { offline, log, resources, answers }: Session,
): Promise<AnswerCache> {
  if (answers) return answers;
  const path = cachePath(config, runFolder);
  if (offline && !existsSync(path)) {
    throw new UserError(`--offline: there is no cache ${path}; put it there, or run without --offline`);
  }
  return resources.keep(await SqliteAnswerCache.open(path, log));
}
