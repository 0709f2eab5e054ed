import { existsSync } from 'node:fs';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import { answerKeys } from '../../calls/cache/transferAnswers.ts';
import { unpackAnswer } from '../../calls/shared/sharedAnswerCache.ts';
import type { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import { pack } from '../../calls/shared/sharedDatabase.ts';
import type { AnswerKey } from '../../contract/answerCache.ts';

/** Answers of one statement that brings their bodies, and keys of one that does not. */
const AT_ONCE = { answers: 200, keys: 5_000 };
/** Parts that the database has room for: the open one, one that is copied, and two that lie ready for tasks under way. */
const PARTS = 4;

interface SharedAnswersOptions {
  /** The run's cache. */
  readonly file: string;
  /** Megabytes of answers that the database holds at most, about. */
  readonly mostMb: number;
  readonly log: (line: string) => void;
}

interface PartRow {
  readonly id: string;
  readonly is_open: boolean;
  readonly is_copied: boolean;
  readonly mb: number;
}

const PARTS_OF_RUN = `
  SELECT id::text, is_open, is_copied,
    (pg_total_relation_size(format('coa_distill.answer_%s', id)::regclass) / 1e6)::float8 AS mb
  FROM part WHERE run = $1 ORDER BY part.id
`;

/**
 * The answers of a run on their way out of the database: each part that is full is copied into the run's cache, and
 * dropped when newer ones have filled its place. Answers that workers want again are brought back.
 */
export class SharedAnswers {
  readonly #database: SharedDatabase;
  readonly #run: string;
  readonly #options: SharedAnswersOptions;
  readonly #cache: SqliteAnswerCache;
  #copying: Promise<void> | undefined;
  #fault: unknown;

  private constructor(
    database: SharedDatabase,
    run: string,
    options: SharedAnswersOptions,
    cache: SqliteAnswerCache,
  ) {
    this.#database = database;
    this.#run = run;
    this.#options = options;
    this.#cache = cache;
  }

  /** Tells workers which answers the run has: they must not ask for them again. */
  static async open(
    database: SharedDatabase,
    run: string,
    options: SharedAnswersOptions,
  ): Promise<SharedAnswers> {
    const { file, log } = options;
    if (existsSync(file)) await noteKeys(database, run, file);
    return new SharedAnswers(database, run, options, await SqliteAnswerCache.open(file, log));
  }

  /** Closes the open part when it is full, copies what is closed, and drops what has been copied. */
  async look(): Promise<void> {
    if (this.#fault) throw this.#fault;
    // A copy that ends while the list is read is not in the list yet: the next look sees it.
    const isCopying = this.#copying !== undefined;
    const parts = await this.#database.query<PartRow>(PARTS_OF_RUN, [this.#run]);
    const open = parts.find(({ is_open }) => is_open);
    if (open && open.mb > this.#options.mostMb / PARTS) await this.#openPart();
    for (const { id, is_copied } of parts.slice(0, -(PARTS - 1))) {
      if (is_copied) await this.#database.query('SELECT drop_part($1)', [id]);
    }
    const next = parts.find(({ is_open, is_copied }) => !is_open && !is_copied);
    if (!next || isCopying || this.#copying) return;
    this.#copying = this.#copy(next.id)
      .catch((error: unknown) => {
        this.#fault = error;
      })
      .finally(() => {
        this.#copying = undefined;
      });
  }

  /** Brings answers back that workers want. */
  async bringBack(): Promise<void> {
    const sql = `SELECT request, provider FROM wanted WHERE run = $1 LIMIT ${AT_ONCE.answers}`;
    const keys = await this.#database.query<AnswerKey>(sql, [this.#run]);
    const answers = await Promise.all(keys.map((key) => this.#cache.lookup(key)));
    await this.#database.query('SELECT bring_back($1, $2::text[], $3::text[], $4::bytea[])', [
      this.#run,
      ...columnsOf(keys),
      answers.map((answer) => (answer ? pack(answer) : null)),
    ]);
  }

  /** Copies all that the run's cache lacks. */
  async fetchAll(): Promise<void> {
    await this.#copying;
    await this.#openPart();
    const parts = await this.#database.query<PartRow>(PARTS_OF_RUN, [this.#run]);
    for (const { id, is_copied } of parts) if (!is_copied) await this.#copy(id);
  }

  async close(): Promise<void> {
    await this.#copying;
    await this.#cache.close();
  }

  async #openPart(): Promise<void> {
    await this.#database.query('SELECT open_part($1)', [this.#run]);
  }

  async #copy(part: string): Promise<void> {
    const sql = `SELECT request, provider, body FROM answer_${part} WHERE run = $1 AND (request, provider) > ($2, $3)
      ORDER BY request, provider LIMIT ${AT_ONCE.answers}`;
    for (let after = ['', '']; ; ) {
      const rows = await this.#database.query<AnswerRow>(sql, [this.#run, ...after]);
      const answers = rows.map(({ body }) => unpackAnswer(body));
      await Promise.all(answers.map((answer) => answer && this.#cache.store(answer)));
      const last = rows.at(-1);
      if (!last || rows.length < AT_ONCE.answers) break;
      after = [last.request, last.provider];
    }
    await this.#database.query('UPDATE part SET is_copied = true WHERE id = $1 AND NOT is_open', [part]);
  }
}

/** Hashes are enough: answers are brought back when somebody wants them. */
async function noteKeys(database: SharedDatabase, run: string, file: string): Promise<void> {
  let keys: AnswerKey[] = [];
  const note = () => database.query('SELECT note_archived($1, $2, $3)', [run, ...columnsOf(keys)]);
  for await (const key of answerKeys(file)) {
    keys.push(key);
    if (keys.length < AT_ONCE.keys) continue;
    await note();
    keys = [];
  }
  await note();
}

function columnsOf(keys: readonly AnswerKey[]): [string[], string[]] {
  return [keys.map(({ request }) => request), keys.map(({ provider }) => provider)];
}

interface AnswerRow extends AnswerKey {
  readonly body: Buffer;
}
