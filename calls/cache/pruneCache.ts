import type { DatabaseSync } from 'node:sqlite';
import { withDatabase } from './answerDatabase.ts';

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
