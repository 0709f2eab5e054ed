import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { UserError } from '../../pipeline/contract/errors.ts';
import { matchExpression } from '../search/matchExpression.ts';
import { buildPassageIndex, INDEX_VERSION } from './buildPassageIndex.ts';
import type { Passage } from './passage.ts';

/** A searchable corpus. */
export interface PassageIndex {
  /** Passages in the corpus. */
  readonly size: number;
  /**
   * The best passages for a text, best first: BM25 over any of its words, a word in the title counting twice; equal
   * scores by id. No text makes it throw.
   */
  search(query: string, limit: number): readonly Passage[];
  close(): void;
}

/** Weights of the columns id, title and text. */
const BEST = `
  SELECT id, title, text FROM passages WHERE passages MATCH ?
  ORDER BY bm25(passages, 0, 2, 1), id, rowid LIMIT ?
`;

/**
 * Opens the search index of a corpus: JSONL of `{"id", "contents"}`, contents = `"Title"\ntext`. It is built once
 * and kept in `cacheFolder` under the corpus's SHA-256; a kept index that is damaged is built again.
 *
 * Throws `UserError` for a corpus that is missing, empty or malformed, naming file and line.
 */
export async function openPassageIndex(corpusPath: string, cacheFolder: string): Promise<PassageIndex> {
  const sha256 = await hashFile(corpusPath);
  const indexPath = path.join(cacheFolder, `passages-v${INDEX_VERSION}-${sha256}.sqlite`);
  const kept = openKept(indexPath);
  if (kept) return kept;
  await mkdir(cacheFolder, { recursive: true });
  await rm(indexPath, { force: true });
  await buildPassageIndex(corpusPath, indexPath);
  const built = openKept(indexPath);
  if (!built) throw new Error(`${indexPath} can't be read right after it was written`);
  return built;
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    throw new UserError(`${file}: the passage corpus can't be read (${(error as Error).message})`, {
      cause: error,
    });
  }
  return hash.digest('hex');
}

/** The index in a file, or undefined when there is none or it is damaged. */
function openKept(indexPath: string): PassageIndex | undefined {
  if (!existsSync(indexPath)) return undefined;
  const database = new DatabaseSync(indexPath, { readOnly: true });
  try {
    return readIndex(database);
  } catch (error) {
    database.close();
    if (isSqliteError(error)) return undefined;
    throw error;
  }
}

/**
 * Throws SQLite's error for what is no index and for a file that is too short. Pages are not all looked at, so that
 * an index of millions of passages opens at once: damage inside shows in a search.
 */
function readIndex(database: DatabaseSync): PassageIndex {
  const { passages } = database.prepare('SELECT passages FROM meta').get() as { passages: number };
  const best = database.prepare(BEST);
  return {
    size: passages,
    search: (query, limit) => {
      const expression = matchExpression(query);
      return expression === undefined ? [] : (best.all(expression, limit) as unknown as Passage[]);
    },
    close: () => database.close(),
  };
}

function isSqliteError(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
}
