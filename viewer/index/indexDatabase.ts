import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { shownTexts, textNames } from './fields.ts';

const schema = `
CREATE TABLE rows (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, record_id TEXT, question TEXT, answer TEXT, gold TEXT);
CREATE TABLE places (row INTEGER, stage TEXT, is_ledger INTEGER, offset INTEGER, length INTEGER,
  PRIMARY KEY (row, stage, is_ledger, offset)) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5(${textNames.join(', ')},
  content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");
`;

/**
 * Opens a database of this process alone: what does not fit into its memory lies in a temporary file that ends with it. It
 * is one transaction, since nobody else reads it.
 */
export function openDatabase(): DatabaseSync {
  const database = new DatabaseSync('');
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
  database.exec(schema);
  database.exec('BEGIN');
  return database;
}

/** What an index asks its database, prepared once. */
export function prepareStatements(database: DatabaseSync) {
  const sql = (text: string): StatementSync => database.prepare(text);
  return {
    row: sql('SELECT row, key, record_id AS recordId, question, answer, gold FROM rows WHERE row = ?'),
    byKey: sql('SELECT row FROM rows WHERE key = ?'),
    // Of equal rows, those after the first have keys with a tilde and a number.
    ofRecord: sql('SELECT row FROM rows WHERE (key = ? OR (key > ? AND key < ?)) AND record_id = ?'),
    addRow: sql('INSERT INTO rows (row, key, question, answer, gold) VALUES (?, ?, ?, ?, ?)'),
    setShown: sql(
      'UPDATE rows SET question = coalesce(question, ?), answer = coalesce(answer, ?), gold = coalesce(gold, ?) WHERE row = ?',
    ),
    changeId: sql('UPDATE rows SET record_id = ? WHERE row = ? AND record_id IS NOT ?'),
    ordered: Object.fromEntries(
      shownTexts.map((name) => [
        name,
        sql(
          `SELECT group_concat(row) AS found FROM (SELECT row FROM rows WHERE ${name} != '' ORDER BY ${name} COLLATE NOCASE, row)`,
        ),
      ]),
    ) as Record<(typeof shownTexts)[number], StatementSync>,
    siblings: sql(
      'SELECT row FROM rows WHERE key = ? OR (key > ? AND key < ?) OR (key > ? AND key < ?) ORDER BY row',
    ),
    addPlace: sql('INSERT OR IGNORE INTO places VALUES (?, ?, ?, ?, ?)'),
    places: sql('SELECT stage, is_ledger, offset, length FROM places WHERE row = ? ORDER BY offset'),
    addTexts: sql(`INSERT OR REPLACE INTO texts (rowid, ${textNames.join(', ')}) VALUES (?, ?, ?, ?, ?, ?)`),
    search: sql('SELECT group_concat(rowid - 1) AS found FROM texts WHERE texts MATCH ?'),
  };
}
