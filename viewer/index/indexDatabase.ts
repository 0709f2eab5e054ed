import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { textNames } from './fields.ts';

const schema = `
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rows (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, record_id TEXT, question TEXT);
CREATE TABLE IF NOT EXISTS places (row INTEGER, stage TEXT, is_ledger INTEGER, offset INTEGER, length INTEGER,
  PRIMARY KEY (row, stage, is_ledger, offset)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS columns (name TEXT, chunk INTEGER, bytes BLOB, PRIMARY KEY (name, chunk)) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(${textNames.join(', ')},
  content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
`;

/** What an index asks its database, prepared once. */
export type Statements = ReturnType<typeof prepareStatements>;

/** Prepares all that is asked of an open database. */
export function prepareStatements(database: DatabaseSync) {
  const sql = (text: string): StatementSync => database.prepare(text);
  return {
    fact: sql('SELECT value FROM facts WHERE name = ?'),
    saveFact: sql('INSERT OR REPLACE INTO facts VALUES (?, ?)'),
    saveChunk: sql('INSERT OR REPLACE INTO columns VALUES (?, ?, ?)'),
    chunks: sql('SELECT name, chunk, bytes FROM columns'),
    row: sql('SELECT row, key, record_id AS recordId, question FROM rows WHERE row = ?'),
    byKey: sql('SELECT row FROM rows WHERE key = ?'),
    // Of equal rows, those after the first have keys with a tilde and a number.
    ofRecord: sql('SELECT row FROM rows WHERE (key = ? OR (key > ? AND key < ?)) AND record_id = ?'),
    addRow: sql('INSERT INTO rows (row, key, question) VALUES (?, ?, ?)'),
    setId: sql('UPDATE rows SET record_id = ?, question = coalesce(?, question) WHERE row = ?'),
    changeId: sql('UPDATE rows SET record_id = ? WHERE row = ? AND record_id IS NOT ?'),
    siblings: sql(
      'SELECT row FROM rows WHERE key = ? OR (key > ? AND key < ?) OR (key > ? AND key < ?) ORDER BY row',
    ),
    addPlace: sql('INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?)'),
    places: sql('SELECT stage, is_ledger, offset, length FROM places WHERE row = ? ORDER BY offset'),
    addTexts: sql(`INSERT OR REPLACE INTO texts (rowid, ${textNames.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`),
    search: sql('SELECT group_concat(rowid - 1) AS found FROM texts WHERE texts MATCH ?'),
  };
}

/**
 * Opens the file of an index, or a database of the process alone where the path is empty. Nothing is lost with an index: it
 * is not waited for until it is on the disk.
 *
 * @throws Error where it is not a database, is in use elsewhere, or can't be written
 */
export function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -8000;',
  );
  database.exec(schema);
  return database;
}

/** Writes down some values by their names. */
export function saveFacts({ saveFact }: Statements, facts: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(facts)) saveFact.run(name, JSON.stringify(value));
}

/** What was last written down by a name; undefined where nothing was. */
export function recallFact({ fact }: Statements, name: string): unknown {
  const found = fact.get(name) as { value: string } | undefined;
  return found && JSON.parse(found.value);
}

/** Whether another process has the database. */
export function isInUse(error: unknown): boolean {
  return /locked|busy/i.test((error as Error).message);
}

/** Removes the file of an index with what SQLite keeps beside it. */
export function removeDatabase(path: string): void {
  if (path === '') return;
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${ending}`, { force: true });
}
