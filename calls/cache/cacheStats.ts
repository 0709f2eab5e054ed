import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type KeptSearch, keptSearchSchema } from '../../schemas/run/cachedAnswer.ts';
import { rowsOf, withDatabase } from './answerDatabase.ts';
import { readAnswer } from './answerRow.ts';

/** The answers of one model or tool. */
export interface CacheGroup {
  readonly kind: 'model' | 'tool' | 'finding' | 'definition';
  readonly name: string;
  readonly provider: string;
  readonly answers: number;
  /** Bytes of the answers alone, as JSON. */
  readonly bytes: number;
  /** Zero for tools. */
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** ISO 8601. */
  readonly oldest: string;
  readonly newest: string;
}

/** What a cache holds. */
interface CacheStats {
  readonly file: string;
  /** Bytes of the file with its log. */
  readonly file_bytes: number;
  readonly answers: number;
  readonly groups: readonly CacheGroup[];
}

const GROUPS = `
  SELECT kind, name, provider, count(*) AS answers, sum(length(CAST(answer AS BLOB))) AS bytes,
    total(CASE WHEN json_valid(answer) THEN answer ->> '$.usage.prompt_tokens' END) AS prompt_tokens,
    total(CASE WHEN json_valid(answer) THEN answer ->> '$.usage.completion_tokens' END) AS completion_tokens,
    min(created_at) AS oldest, max(created_at) AS newest
  FROM answers GROUP BY kind, name, provider ORDER BY kind, name, provider
`;

/** Counts what a cache holds. Throws `UserError` when it can't be read. */
export async function cacheStats(file: string): Promise<CacheStats> {
  const groups = await withDatabase(file, ({ database }) =>
    database
      .prepare(GROUPS)
      .all()
      .map((row) => ({ ...row }) as unknown as CacheGroup),
  );
  const answers = groups.reduce((sum, group) => sum + group.answers, 0);
  const file_bytes = [file, `${file}-wal`]
    .map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + bytes);
  return { file, file_bytes, answers, groups };
}

/** A web search that a cache holds. */
export interface CachedSearch extends Omit<KeptSearch, 'organic'> {
  /** When it was answered, ISO 8601. */
  readonly answered_at: string;
  /** The service's address; `local` for what is on this machine. */
  readonly service: string;
  /** Pages that were found. */
  readonly found: number;
}

const SEARCHES = `
  SELECT * FROM answers WHERE kind = 'tool' AND name = 'web_search' ORDER BY created_at, request, provider
`;

/** The web searches of a cache, the oldest first; those of versions that did not note the query are left out. Throws `UserError` when the cache can't be had. */
export async function* keptSearches(file: string): AsyncGenerator<CachedSearch> {
  for await (const row of rowsOf(file, SEARCHES)) {
    const kept = readAnswer(row);
    const search = keptSearchSchema.safeParse(kept?.answer.raw);
    if (!kept || !search.success) continue;
    const { organic = [], ...asked } = search.data;
    yield { answered_at: kept.created_at, service: kept.provider, ...asked, found: organic.length };
  }
}

/** Which answers go. What is absent does not narrow the choice. */
export interface PruneChoice {
  /** Only answers of this model or tool. */
  readonly name?: string;
  /** Only answers stored before, ISO 8601. */
  readonly before?: string;
  /** The oldest go until the rest fits: bytes of the answers as JSON. */
  readonly maxBytes?: number;
}

/** Answers that went, and those that stayed. */
export interface PruneResult {
  readonly removed: number;
  readonly removed_bytes: number;
  readonly left: number;
}

const CHOSEN = `
  SELECT id, bytes FROM (
    SELECT id, name, created_at, bytes, sum(bytes) OVER (ORDER BY created_at DESC, id DESC) AS from_newest
    FROM (SELECT rowid AS id, name, created_at, length(CAST(answer AS BLOB)) AS bytes FROM answers)
  )
  WHERE (:name IS NULL OR name = :name) AND (:before IS NULL OR created_at < :before)
    AND (:max_bytes IS NULL OR from_newest > :max_bytes)
`;

/**
 * Removes answers from a cache and gives their room back. Whoever needs one of them asks for it again.
 *
 * @param dryRun counts without removing
 * @throws UserError when the cache can't be had
 */
export async function pruneCache(file: string, choice: PruneChoice, dryRun: boolean): Promise<PruneResult> {
  const work = dryRun ? count : remove;
  const result = await withDatabase(file, ({ database }) => work(database, choice));
  if (!dryRun && result.removed > 0) await withDatabase(file, ({ database }) => database.exec('VACUUM'));
  return result;
}

function remove(database: DatabaseSync, choice: PruneChoice): PruneResult {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = count(database, choice);
    database
      .prepare(`DELETE FROM answers WHERE rowid IN (SELECT id FROM (${CHOSEN}))`)
      .run(parameters(choice));
    database.exec('COMMIT');
    return result;
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

function count(database: DatabaseSync, choice: PruneChoice): PruneResult {
  const sums = database
    .prepare(`SELECT count(*) AS removed, coalesce(sum(bytes), 0) AS removed_bytes FROM (${CHOSEN})`)
    .get(parameters(choice)) as Pick<PruneResult, 'removed' | 'removed_bytes'>;
  const { answers } = database.prepare('SELECT count(*) AS answers FROM answers').get() as {
    answers: number;
  };
  return { ...sums, left: answers - sums.removed };
}

function parameters({ name, before, maxBytes }: PruneChoice) {
  return { name: name ?? null, before: before ?? null, max_bytes: maxBytes ?? null };
}
