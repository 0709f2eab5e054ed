import { accessSync, constants, existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { syncFolder } from '../../base/files/atomicFile.ts';
import { explainDiskError } from '../../base/files/diskError.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { UserError } from '../../base/userError.ts';
import { createLayout, refuseForeign } from './answerLayout.ts';
import { insertAnswer } from './answerRow.ts';
import { inodeOf, replaceDamaged } from './replaceDamaged.ts';
import { BLOCKING_WAIT_MS, damage, isDamage, isReadOnly, retryWhileBusy } from './sqliteErrors.ts';

/** An open cache file. */
export interface AnswerDatabase extends AsyncDisposable {
  readonly database: DatabaseSync;
  /** `SELECT` by key, and by request with at most two rows; `INSERT` of an `answerRow`; `DELETE` by key. */
  readonly statements: Readonly<Record<'byKey' | 'byRequest' | 'insert' | 'remove', StatementSync>>;
  /** The write-ahead log, for making commits durable; undefined where the file system allows none. */
  readonly log: FileHandle | undefined;
}

/**
 * Opens a cache file, and makes it where there is none. All of it is checked: a damaged one is set aside, which `log` is
 * told, and a new one begins with the answers that SQLite can still read from it.
 *
 * @throws UserError when the file is some other database, or the disk does not allow it
 */
export async function openAnswerDatabase(path: string, log: (line: string) => void): Promise<AnswerDatabase> {
  try {
    await makeFolder(dirname(path));
    for (;;) {
      const found = inodeOf(path);
      const opened = await openWhole(path).catch((error) => {
        if (!isDamage(error)) throw error;
      });
      if (opened) return opened;
      const line = await replaceDamaged(path, found);
      if (line) log(line);
    }
  } catch (error) {
    throw explainDiskError(error, path);
  }
}

/**
 * Opens a cache file that must exist and be whole.
 *
 * @throws UserError when it does not or is not
 */
async function openExistingDatabase(path: string): Promise<AnswerDatabase> {
  if (!existsSync(path)) throw new UserError(`there is no cache ${path}; name a run, or a cache's file`);
  try {
    return await openWhole(path);
  } catch (error) {
    if (!isDamage(error)) throw explainDiskError(error, path);
    throw new UserError(`${path} is damaged, or not a cache; the next run that uses it sets it aside`, {
      cause: error,
    });
  }
}

/** Opens a cache file that must exist and be whole, works on it, and closes it. Throws as {@link openExistingDatabase}. */
export async function withDatabase<T>(path: string, work: (opened: AnswerDatabase) => T): Promise<T> {
  await using opened = await openExistingDatabase(path);
  return await retryWhileBusy(path, () => work(opened));
}

/** The rows of a statement on a cache file that must exist and be whole. Throws as {@link openExistingDatabase}. */
export async function* rowsOf(path: string, sql: string): AsyncGenerator<Record<string, unknown>> {
  await using opened = await openExistingDatabase(path);
  yield* opened.database.prepare(sql).iterate();
}

function openWhole(path: string): Promise<AnswerDatabase> {
  return retryWhileBusy(path, async () => {
    const database = new DatabaseSync(path, { timeout: BLOCKING_WAIT_MS });
    try {
      const hasLog = prepare(database, path);
      const log = hasLog ? await open(`${path}-wal`, 'r+') : undefined;
      await syncFolder(dirname(path));
      const dispose = async () => {
        await log?.close();
        database.close();
      };
      return { database, statements: statementsOf(database), log, [Symbol.asyncDispose]: dispose };
    } catch (error) {
      database.close();
      if (!isReadOnly(error)) throw error;
      // Where the file and its folder can be written, it is the file's header that says otherwise.
      for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
      throw damage('its first page says that it can not be written');
    }
  });
}

/** Checks a file and makes its table where there is none; returns whether it has a log. */
function prepare(database: DatabaseSync, path: string): boolean {
  refuseForeign(database, path);
  const { journal_mode } = database.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
  const hasLog = journal_mode === 'wal';
  // With a log, commits are made durable by `fdatasync` on another thread: see `SqliteAnswerCache`.
  database.exec(`PRAGMA synchronous = ${hasLog ? 'NORMAL' : 'FULL'}`);
  const check = database.prepare('PRAGMA integrity_check(1)').get() as { integrity_check: string };
  if (check.integrity_check !== 'ok') throw damage(check.integrity_check);
  database.exec(`BEGIN IMMEDIATE; ${createLayout} COMMIT`);
  return hasLog;
}

function statementsOf(database: DatabaseSync): AnswerDatabase['statements'] {
  return {
    byKey: database.prepare('SELECT * FROM answers WHERE request = ? AND provider = ?'),
    byRequest: database.prepare('SELECT * FROM answers WHERE request = ? LIMIT 2'),
    insert: database.prepare(insertAnswer),
    remove: database.prepare('DELETE FROM answers WHERE request = ? AND provider = ?'),
  };
}
