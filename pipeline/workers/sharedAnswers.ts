import { existsSync } from 'node:fs';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import { exportAnswers } from '../../calls/cache/transferAnswers.ts';
import { SharedAnswerCache, unpackAnswer } from '../../calls/shared/sharedAnswerCache.ts';
import type { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';

/** Answers of one statement. */
const ANSWERS_AT_ONCE = 200;
/** Gives workers the answers that the run has: they must not ask for them again. */
export async function sendAnswers(
  database: SharedDatabase,
  { run, worker }: { readonly run: string; readonly worker: string },
  file: string,
): Promise<void> {
  if (!existsSync(file)) return;
  const shared = new SharedAnswerCache(database, { run, worker });
  const sending = new Set<Promise<unknown>>();
  for await (const answer of exportAnswers(file)) {
    sending.add(shared.store(answer));
    if (sending.size < ANSWERS_AT_ONCE) continue;
    await Promise.all(sending);
    sending.clear();
  }
  await Promise.all(sending);
}

/** Brings the answers of workers into the run's cache. */
export async function fetchAnswers(
  database: SharedDatabase,
  run: string,
  file: string,
  log: (line: string) => void,
): Promise<void> {
  const cache = await SqliteAnswerCache.open(file, log);
  const sql = `SELECT request, provider, body FROM answer WHERE run = $1 AND (request, provider) > ($2, $3)
    ORDER BY request, provider LIMIT ${ANSWERS_AT_ONCE}`;
  try {
    for (let after = ['', '']; ; ) {
      const rows = await database.query<AnswerRow>(sql, [run, ...after]);
      await Promise.all(
        rows.map(({ body }) => unpackAnswer(body)).map((answer) => answer && cache.store(answer)),
      );
      const last = rows.at(-1);
      if (!last || rows.length < ANSWERS_AT_ONCE) return;
      after = [last.request, last.provider];
    }
  } finally {
    await cache.close();
  }
}

interface AnswerRow {
  readonly request: string;
  readonly provider: string;
  readonly body: Buffer;
}
