import type { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';
import { safeParseJson } from '../../../base/json.ts';

/** Size of the row, in characters: more than a model's name and prefix need. */
const MAX_META = 65_536;

/** The one row of a database's table `meta`, JSON of a schema; undefined when it has none, or is no such database. */
export function readMeta<T>(database: DatabaseSync, schema: z.ZodType<T>): T | undefined {
  try {
    const row = database.prepare('SELECT substr(value, 1, ?) AS value FROM meta').get(MAX_META) as
      | { value: string }
      | undefined;
    const parsed = safeParseJson(row?.value ?? '');
    return parsed.ok ? schema.safeParse(parsed.value).data : undefined;
  } catch (error) {
    if (isSqliteError(error)) return undefined;
    throw error;
  }
}

/** True for what SQLite throws, of a damaged file as of one that is no database. */
export function isSqliteError(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
}
