import type { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';
import { safeParseJson } from '../../../base/json.ts';

/** Bumped when an index is laid out or filled otherwise; part of a cache file's name. */
export const INDEX_VERSION = 2;

/** Words are folded to lower case without accents and stemmed, so that "founded" finds "found". */
export const TOKENIZE = `tokenize = 'porter unicode61'`;

/** What a word in the title counts beside one in the text. */
export const TITLE_WEIGHT = 2;

/** Passages that are compressed together: more are smaller on disk, fewer are quicker to read one of. */
export const BLOCK_PASSAGES = 32;

/** From how many passages on a word's number of passages is kept: it is told of rarer words by counting them. */
export const COMMON_FROM = 1_000;

/**
 * `passages` holds the words of passages 1, 2, ... and no text; `blocks` holds the passages themselves, compressed, by
 * the number of the first of each block; `common_words` says in how many passages each common word is. `meta` is
 * filled last.
 */
export const LAYOUT = `
  CREATE VIRTUAL TABLE passages USING fts5(title, text, content = '', ${TOKENIZE});
  CREATE TABLE blocks (first INTEGER PRIMARY KEY, packed BLOB NOT NULL);
  CREATE TABLE common_words (term TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE meta (value TEXT NOT NULL);
`;

/** Tables as SQLite keeps them: every statement that made one, of virtual tables' own tables too. */
const SCHEMA = 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name';

/**
 * True when a file of unknown origin has exactly the tables that another, made here, has: no view or generated column
 * stands in for one then, which could compute without end, and no other virtual table is opened with it.
 */
export function hasLayout(database: DatabaseSync, ours: DatabaseSync): boolean {
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  // One more than there may be, so that a schema of a million tables is not read.
  const expected = ours.prepare(SCHEMA).all();
  const found = database.prepare(`${SCHEMA} LIMIT ?`).all(expected.length + 1);
  return JSON.stringify(found) === JSON.stringify(expected);
}

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
