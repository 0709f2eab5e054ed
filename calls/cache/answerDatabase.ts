import { accessSync, constants, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { syncFolder } from '../../base/files/atomicFile.ts';
import { explainDiskError } from '../../base/files/diskError.ts';
import { lockFile } from '../../base/files/lockFolder.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { UserError } from '../../base/userError.ts';
import { answerColumns, insertAnswer } from './answerRow.ts';
import { BLOCKING_WAIT_MS, damage, isDamage, isReadOnly, retryWhileBusy } from './sqliteErrors.ts';

/** An open cache file. */
export interface AnswerDatabase extends AsyncDisposable {
  readonly database: DatabaseSync;
  /** `SELECT` by key, and by request with at most two rows; `INSERT` of an `answerRow`; `DELETE` by key. */
  readonly statements: Readonly<Record<'byKey' | 'byRequest' | 'insert' | 'remove', StatementSync>>;
  /** Write-ahead log, for durable commits; undefined if the file system supports none. */
  readonly log: FileHandle | undefined;
}

/**
 * Opens a cache file, creating it if missing. The whole file is checked: a damaged one is set aside, with a line to
 * `log`, and replaced.
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
      const line = await setAside(path, found);
      if (line) log(line);
    }
  } catch (error) {
    throw explainDiskError(error, path);
  }
}

/**
 * Opens an existing, intact cache file.
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

/** Opens an existing cache file, works on it, and closes it. Throws as {@link openExistingDatabase}. */
export async function withDatabase<T>(path: string, work: (opened: AnswerDatabase) => T): Promise<T> {
  await using opened = await openExistingDatabase(path);
  return await retryWhileBusy(path, () => work(opened));
}

/** Rows of a statement on an existing cache file. Throws as {@link openExistingDatabase}. */
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
      // If the file and its folder are writable, the file's header is the cause.
      for (const place of [path, dirname(path)]) accessSync(place, constants.W_OK);
      throw damage('its first page says that it can not be written');
    }
  });
}

/** Checks a file and creates its table if missing; returns true if it has a log. */
function prepare(database: DatabaseSync, path: string): boolean {
  refuseForeign(database, path);
  const { journal_mode } = database.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
  const hasLog = journal_mode === 'wal';
  // With a log, `fdatasync` on another thread makes commits durable: see `SqliteAnswerCache`.
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

/**
 * Renames a damaged cache and its logs to the first free name. Its answers are requested again when needed.
 * @param found the file that was damaged, as {@link inodeOf} names it
 * @returns the line for the log; undefined when another process had replaced the file
 */
async function setAside(path: string, found: number | undefined): Promise<string | undefined> {
  const lock = `${path}.lock`;
  const unlock = await lockFile(lock);
  try {
    if (found !== inodeOf(path)) return undefined;
    let aside = `${path}.damaged`;
    for (let n = 2; existsSync(aside); n++) aside = `${path}.damaged-${n}`;
    // Logs first: SQLite would replay them into the new file.
    for (const end of ['-wal', '-journal', '']) {
      if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`);
    }
    rmSync(`${path}-shm`, { force: true });
    return `${path} is damaged: it is kept as ${aside}; answers that are needed are asked for again`;
  } finally {
    rmSync(lock, { force: true });
    unlock();
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Application id of our caches: "CoaC". */
const APPLICATION_ID = 0x436f6143;
/** Incremented when the table changes. */
const LAYOUT_VERSION = 2;

/** Creates a missing table and marks the file. */
const createLayout = `
  CREATE TABLE IF NOT EXISTS answers (
    kind TEXT NOT NULL, request TEXT NOT NULL, provider TEXT NOT NULL, name TEXT NOT NULL, sample INTEGER NOT NULL,
    task_id TEXT NOT NULL, created_at TEXT NOT NULL, answer TEXT NOT NULL, checksum TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (request, provider)
  );
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${LAYOUT_VERSION};
`;

const FACTS = `
  SELECT application_id, user_version, page_count, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_application_id, pragma_user_version, pragma_page_count
`;

/**
 * Accepts a new file or a cache of ours.
 * @throws UserError for any other database, and for a cache of another version; an error of damage for a cache whose
 * first page does not fit its table
 */
function refuseForeign(database: DatabaseSync, path: string): void {
  type Facts = Record<'application_id' | 'user_version' | 'page_count' | 'tables', number>;
  const facts = database.prepare(FACTS).get() as Facts;
  if (facts.tables === 0 && facts.page_count <= 1) return;
  const isMarked = facts.application_id === APPLICATION_ID;
  const isVersion = isMarked && facts.user_version === LAYOUT_VERSION;
  const hasTable = hasAnswersTable(database);
  if (hasTable && isVersion) return;
  if (hasTable || isVersion || facts.tables === 0) throw damage('its first page does not fit its table');
  if (!isMarked) {
    throw new UserError(
      `${path}: expected a cache of coa-distill, got another SQLite database; name another file`,
    );
  }
  throw new UserError(
    `${path}: expected a cache of layout ${LAYOUT_VERSION}, got layout ${facts.user_version} of another version of coa-distill; move it away, or use that version`,
  );
}

function hasAnswersTable(database: DatabaseSync): boolean {
  const columns = database.prepare("SELECT name FROM pragma_table_info('answers')").all();
  return columns.map(({ name }) => name).join(' ') === [...answerColumns, 'checksum'].join(' ');
}
