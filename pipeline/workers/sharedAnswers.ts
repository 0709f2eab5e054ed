import { existsSync } from 'node:fs';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import { answerKeys } from '../../calls/cache/transferAnswers.ts';
import type { AnswerKey } from '../../contract/answerCache.ts';
import { unpackAnswer } from './database/sharedAnswerCache.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';
import { pack } from './database/sharedDatabase.ts';

/** Answers per statement with bodies, and keys per statement without. */
const AT_ONCE = { answers: 200, keys: 5_000 };
/** Parts in the database: the open one, one being copied, and two kept for running tasks. */
const PARTS = 4;

interface SharedAnswersOptions {
  /** The run's cache. */
  readonly file: string;
  /** Approximate maximum of answers in the database, in megabytes. */
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

export type SharedAnswers = Awaited<ReturnType<typeof openSharedAnswers>>;

/**
 * Moves answers of a run out of the database: each full part is copied into the run's cache, and dropped once newer
 * parts have filled its place. Answers requested again are restored. Workers see which answers exist, since they must
 * not request them again.
 */
export async function openSharedAnswers(
  database: SharedDatabase,
  run: string,
  { file, mostMb, log }: SharedAnswersOptions,
) {
  if (existsSync(file)) await noteKeys(database, run, file);
  const cache = await SqliteAnswerCache.open(file, log);
  let copying: Promise<void> | undefined;
  let fault: unknown;

  const listParts = () => database.query<PartRow>(PARTS_OF_RUN, [run]);
  const openPart = () => database.query('SELECT open_part($1)', [run]);
  const copy = async (part: string) => {
    const sql = `SELECT request, provider, body FROM answer_${part} WHERE run = $1 AND (request, provider) > ($2, $3)
      ORDER BY request, provider LIMIT ${AT_ONCE.answers}`;
    for (let after = ['', '']; ; ) {
      const rows = await database.query<AnswerRow>(sql, [run, ...after]);
      const answers = rows.map(({ body }) => unpackAnswer(body));
      await Promise.all(answers.map((answer) => answer && cache.store(answer)));
      const last = rows.at(-1);
      if (!last || rows.length < AT_ONCE.answers) break;
      after = [last.request, last.provider];
    }
    await database.query('UPDATE part SET is_copied = true WHERE id = $1 AND NOT is_open', [part]);
  };

  return {
    /** Closes a full part, copies closed parts, and drops copied ones. */
    async look(): Promise<void> {
      if (fault) throw fault;
      // Read before the list: a copy that ends meanwhile is only in the next list.
      const isCopying = copying !== undefined;
      const parts = await listParts();
      const open = parts.find(({ is_open }) => is_open);
      if (open && open.mb > mostMb / PARTS) await openPart();
      for (const { id, is_copied } of parts.slice(0, -(PARTS - 1)))
        if (is_copied) await database.query('SELECT drop_part($1)', [id]);
      const next = parts.find(({ is_open, is_copied }) => !is_open && !is_copied);
      if (!next || isCopying || copying) return;
      copying = copy(next.id)
        .catch((error: unknown) => {
          fault = error;
        })
        .finally(() => {
          copying = undefined;
        });
    },

    async bringBack(): Promise<void> {
      const sql = `SELECT request, provider FROM wanted WHERE run = $1 LIMIT ${AT_ONCE.answers}`;
      const keys = await database.query<AnswerKey>(sql, [run]);
      const answers = await Promise.all(keys.map((key) => cache.lookup(key)));
      const bodies = answers.map((answer) => (answer ? pack(answer) : null));
      const bring = 'SELECT bring_back($1, $2::text[], $3::text[], $4::bytea[])';
      await database.query(bring, [run, ...columnsOf(keys), bodies]);
    },

    async fetchAll(): Promise<void> {
      await copying;
      await openPart();
      for (const { id, is_copied } of await listParts()) if (!is_copied) await copy(id);
    },

    async close(): Promise<void> {
      await copying;
      await cache.close();
    },
  };
}

/** Stores the hashes of existing answers; bodies are restored on request. */
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
