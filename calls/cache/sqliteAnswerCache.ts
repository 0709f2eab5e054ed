import { explainDiskError } from '../../base/files/diskError.ts';
import { UserError } from '../../base/userError.ts';
import type { AnswerCache, AnswerKey } from '../../contract/answerCache.ts';
import type { CachedAnswer } from '../../schemas/run/cachedAnswer.ts';
import { type AnswerDatabase, openAnswerDatabase } from './answerDatabase.ts';
import { answerRow, readAnswer } from './answerRow.ts';
import { isDamage, retryWhileBusy } from './sqliteErrors.ts';

type Row = ReturnType<typeof answerRow>;

/** Answers queued for one write, as rows. */
interface Batch {
  readonly rows: Row[];
  /** Rows whose key already had an answer from another process. */
  readonly known: Set<Row>;
  readonly committed: Promise<void>;
}

/**
 * SQLite cache file that several processes may share. Group commit: everything stored while one batch is being
 * written forms the next, which is one transaction and one `fdatasync`. SQLite does not sync commits itself
 * (`synchronous = NORMAL`), since that would block the program for as long; the log is synced on another thread, and
 * before each checkpoint by SQLite, so that an acknowledged answer survives a power cut.
 */
export class SqliteAnswerCache implements AnswerCache {
  readonly #path: string;
  readonly #log: (line: string) => void;
  readonly #open: AnswerDatabase;
  #batch: Batch | undefined;
  #lastCommit: Promise<void> = Promise.resolve();

  private constructor(path: string, log: (line: string) => void, open: AnswerDatabase) {
    this.#path = path;
    this.#log = log;
    this.#open = open;
  }

  /**
   * Opens or creates the cache at `path`.
   * @param log told when a damaged file was replaced
   * @throws UserError when the file is some other database, or the disk does not allow it
   */
  static async open(path: string, log: (line: string) => void): Promise<SqliteAnswerCache> {
    return new SqliteAnswerCache(path, log, await openAnswerDatabase(path, log));
  }

  lookup({ request, provider }: AnswerKey): Promise<CachedAnswer | undefined> {
    return this.#guarded(() => {
      const { byKey, remove } = this.#open.statements;
      const row = byKey.get(request, provider);
      const answer = row && readAnswer(row);
      if (row && !answer) {
        // It would block the answer requested in its place.
        remove.run(request, provider);
        this.#sayDamaged();
      }
      return answer;
    });
  }

  lookupRequest(request: string): Promise<CachedAnswer | undefined> {
    return this.#guarded(() => {
      const [row, other] = this.#open.statements.byRequest.all(request);
      return row && other === undefined ? readAnswer(row) : undefined;
    });
  }

  async store(answer: CachedAnswer): Promise<CachedAnswer> {
    // Serialised here, so that an answer which cannot be written as JSON does not affect others.
    const row = answerRow(answer);
    this.#batch ??= this.#schedule();
    const { rows, known, committed } = this.#batch;
    rows.push(row);
    await committed;
    // A damaged one is removed when it is read, which makes room.
    return known.has(row) ? ((await this.lookup(answer)) ?? this.store(answer)) : answer;
  }

  /** Waits for pending writes and closes the file. */
  async close(): Promise<void> {
    await this.#lastCommit;
    await this.#open[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #schedule(): Batch {
    const rows: Row[] = [];
    const known = new Set<Row>();
    const committed = this.#lastCommit.then(() => this.#commit(rows, known));
    // The callers that stored see the failure; the next batch is still tried.
    this.#lastCommit = committed.catch(() => {});
    return { rows, known, committed };
  }

  async #commit(rows: readonly Row[], known: Set<Row>): Promise<void> {
    // One turn of the event loop lets answers that arrive together share a transaction.
    await new Promise(setImmediate);
    this.#batch = undefined;
    await this.#guarded(async () => {
      const opened = this.#open;
      for (const row of insertAll(opened, rows)) known.add(row);
      await opened.log?.datasync();
    });
  }

  #hasSaidDamaged = false;
  #sayDamaged(): void {
    if (!this.#hasSaidDamaged)
      this.#log(`${this.#path}: an answer is damaged, and is asked for again; so are others like it`);
    this.#hasSaidDamaged = true;
  }

  /** Runs work on the file. Damage found while it is open ends the run: the next one sets the file aside. */
  async #guarded<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await retryWhileBusy(this.#path, work);
    } catch (cause) {
      if (!isDamage(cause)) throw explainDiskError(cause, this.#path);
      const why = (cause as Error).message;
      throw new UserError(`${this.#path} is damaged (${why}); run again, and it is set aside`, { cause });
    }
  }
}

function insertAll({ database, statements }: AnswerDatabase, rows: readonly Row[]): Row[] {
  database.exec('BEGIN IMMEDIATE');
  try {
    const known = rows.filter((row) => statements.insert.run(...row).changes === 0);
    database.exec('COMMIT');
    return known;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
