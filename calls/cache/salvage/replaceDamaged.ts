import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { createLayout } from '../answerLayout.ts';
import { insertAnswer } from '../answerRow.ts';
import { BLOCKING_WAIT_MS, isDamage, isReadOnly } from '../sqliteErrors.ts';
import { isTakenForNew } from './pagedFile.ts';
import { readableAnswers } from './readableAnswers.ts';
import type { RowValue } from './rowsOnPage.ts';

/**
 * Puts what can be read of a damaged file into a new one in its place, while no other process can write to it.
 *
 * @param found the file that was damaged, as {@link inodeOf} names it
 * @returns what to say of it; undefined when another process had replaced it
 */
export function replaceDamaged(path: string, found: number | undefined): string | undefined {
  const lock = lockWriters(path);
  const draft = `${path}.salvaged-${process.pid}`;
  try {
    if (found !== inodeOf(path)) return undefined;
    const saved = writeSalvaged(path, draft);
    // A file too damaged to be locked may have been replaced meanwhile.
    if (found !== inodeOf(path)) return undefined;
    const aside = putInPlace(draft, path);
    return `${path} is damaged: it is kept as ${aside}; ${saved} answers could be read and are in a new cache, what else it held is asked for again`;
  } finally {
    lock?.exec('ROLLBACK');
    rmSync(draft, { force: true });
  }
}

/** Connections that must not be closed: SQLite would delete the log of the file that took the place of theirs. */
const abandoned: DatabaseSync[] = [];

/** Keeps a connection to a file that was replaced until the process ends. */
export function abandon(database: DatabaseSync): void {
  abandoned.push(database);
}

/** What a file is known by to the file system, whatever its name; undefined where there is none. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Inserts rows of `answers`; returns how many were new. */
export function insertRows(insert: StatementSync, rows: Iterable<readonly RowValue[]>): number {
  let added = 0;
  for (const row of rows) added += Number(insert.run(...row).changes);
  return added;
}

/** Keeps others from writing to a file until it is replaced; undefined when it is too damaged for that. */
function lockWriters(path: string): DatabaseSync | undefined {
  if (isTakenForNew(path)) return undefined;
  const database = new DatabaseSync(path, { timeout: BLOCKING_WAIT_MS });
  try {
    database.exec('BEGIN IMMEDIATE');
    abandon(database);
    return database;
  } catch (error) {
    database.close();
    // A damaged header may say "read-only"; where the folder really is, writing the new file fails.
    if (!isDamage(error) && !isReadOnly(error)) throw error;
    return undefined;
  }
}

function writeSalvaged(path: string, draft: string): number {
  rmSync(draft, { force: true });
  const database = new DatabaseSync(draft);
  try {
    database.exec(`${createLayout} BEGIN`);
    const saved = insertRows(database.prepare(insertAnswer), readableAnswers(path, 'all'));
    database.exec('COMMIT');
    return saved;
  } finally {
    database.close();
  }
}

/**
 * Puts a new file in the place of a damaged one, which is kept with its logs under the first free name.
 *
 * @returns that name
 */
function putInPlace(draft: string, path: string): string {
  let aside = `${path}.damaged`;
  for (let n = 2; existsSync(aside); n++) aside = `${path}.damaged-${n}`;
  linkSync(path, aside);
  // SQLite would play them back into the new file.
  for (const end of ['-wal', '-journal']) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
  }
  rmSync(`${path}-shm`, { force: true });
  renameSync(draft, path);
  return aside;
}
