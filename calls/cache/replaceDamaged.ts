import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { lockFile } from '../../base/files/lockFolder.ts';
import { createLayout } from './answerLayout.ts';
import { answerRow, insertAnswer, readAnswer } from './answerRow.ts';

/**
 * Sets a damaged cache aside and puts a new one in its place, with the answers that SQLite can still read from it. The
 * rest is asked for again where it is needed, which finished records do not need: their outcomes are in the run's
 * ledger.
 *
 * @param found the file that was damaged, as {@link inodeOf} names it
 * @returns what to say of it; undefined when another process had replaced it
 */
export async function replaceDamaged(path: string, found: number | undefined): Promise<string | undefined> {
  const lock = `${path}.lock`;
  const unlock = await lockFile(lock);
  const draft = `${path}.new`;
  try {
    if (found !== inodeOf(path)) return undefined;
    const saved = writeReadable(path, draft);
    const aside = putInPlace(draft, path);
    return `${path} is damaged: it is kept as ${aside}; ${saved} answers could be read and are in a new cache, what else it held is asked for again`;
  } finally {
    rmSync(draft, { force: true });
    rmSync(lock, { force: true });
    unlock();
  }
}

/** What a file is known by to the file system, whatever its name; undefined where there is none. */
export function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function writeReadable(path: string, draft: string): number {
  rmSync(draft, { force: true });
  using database = new DatabaseSync(draft);
  database.exec(`${createLayout} BEGIN`);
  const insert = database.prepare(insertAnswer);
  let saved = 0;
  for (const row of readableRows(path)) {
    const answer = readAnswer(row);
    if (answer) saved += Number(insert.run(...answerRow(answer)).changes);
  }
  database.exec('COMMIT');
  return saved;
}

/** The rows from either end up to the first damaged page. */
function* readableRows(path: string): Generator<Record<string, unknown>> {
  using database = new DatabaseSync(path, { readOnly: true });
  for (const order of ['ASC', 'DESC']) {
    try {
      yield* database.prepare(`SELECT * FROM answers ORDER BY rowid ${order}`).iterate();
    } catch {
      // The page that comes next is damaged, or the table's description.
    }
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
