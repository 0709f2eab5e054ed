import type { DatabaseSync } from 'node:sqlite';

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
