import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { Config } from '../../schemas/config/config.ts';

/** Path of a run's answer cache: its own, or `cache` of the configuration. */
export function cachePath({ cache }: Pick<Config, 'cache'>, runFolder: string): string {
  return cache.file ?? join(runFolder, 'cache.sqlite');
}

/**
 * Opens the answer cache of a session: a shared one, or the run's own, closed when the session ends. Throws `UserError`
 * if it cannot be opened, or does not exist while offline.
 */
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
