import { rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../pipeline/contract/errors.ts';
import { parsePassage } from './passage.ts';
import { readLines } from './readLines.ts';

/** Bumped when an index is laid out or filled otherwise; part of the cache file's name. */
export const INDEX_VERSION = 1;

/**
 * Words are folded to lower case without accents and stemmed, so that "founded" finds "found". `meta` is filled
 * last.
 */
const LAYOUT = `
  CREATE VIRTUAL TABLE passages USING fts5(id UNINDEXED, title, text, tokenize = 'porter unicode61');
  CREATE TABLE meta (passages INTEGER NOT NULL);
`;

/**
 * Builds the index of a corpus file under `indexPath`, streaming. The file appears under its name only when it is
 * complete and on disk. Throws `UserError` for a malformed or empty corpus.
 */
export async function buildPassageIndex(corpusPath: string, indexPath: string): Promise<void> {
  const building = `${indexPath}.${process.pid}.building`;
  rmSync(building, { force: true });
  try {
    await fillIndex(corpusPath, building);
    await flushToDisk(building);
    await rename(building, indexPath);
  } finally {
    rmSync(building, { force: true });
  }
}

async function fillIndex(corpusPath: string, path: string): Promise<void> {
  const database = new DatabaseSync(path);
  try {
    // A build that dies is thrown away, so it needs no journal.
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    database.exec(LAYOUT);
    const passages = await insertPassages(database, corpusPath);
    if (passages === 0) throw new UserError(`${corpusPath}: the corpus holds no passages`);
    database.exec(`INSERT INTO passages(passages) VALUES ('optimize')`);
    database.prepare('INSERT INTO meta VALUES (?)').run(passages);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

async function insertPassages(database: DatabaseSync, corpusPath: string): Promise<number> {
  const insert = database.prepare('INSERT INTO passages (id, title, text) VALUES (?, ?, ?)');
  let passages = 0;
  for await (const { number, bytes } of readLines(corpusPath)) {
    const { id, title, text } = parsePassage(bytes, corpusPath, number);
    insert.run(id, title, text);
    passages += 1;
  }
  return passages;
}

async function flushToDisk(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
