import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { z } from 'zod';
import { safeParseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { type PassageIndexMeta, passageIndexMetaSchema } from '../../schemas/passageIndexMeta.ts';
import { expressionOf, wordsOf } from '../queryWords.ts';
import type { Passage } from './passage.ts';

/** Incremented when an index's layout or content changes; part of a cache file's name. */
export const INDEX_VERSION = 3;

/** Folds words to lower case without accents and stems them, so that "founded" finds "found". */
const TOKENIZE = `tokenize = 'porter unicode61'`;

/** Weight of a title word relative to a text word. */
const TITLE_WEIGHT = 2;

/** Minimum passages from which a word's count is stored; at most 64 rarer ones are within a search's reach. */
export const COMMON_FROM = 500;

/**
 * `words` indexes passages 1, 2, ... without text; `passages` holds the passages; `common_words` holds the passage
 * counts of common words. `meta` is filled last.
 */
export const LAYOUT = `
  CREATE VIRTUAL TABLE words USING fts5(title, text, content = '', ${TOKENIZE});
  CREATE TABLE passages (number INTEGER PRIMARY KEY, id TEXT NOT NULL, contents TEXT NOT NULL);
  CREATE TABLE common_words (term TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE meta (value TEXT NOT NULL);
`;

/** Number of a passage, from 1 in corpus order, with its score: higher is better. */
export interface ScoredNumber {
  readonly number: number;
  readonly score: number;
}

export interface PassageIndex {
  readonly meta: PassageIndexMeta;
  /**
   * At most `limit` passages, best first: BM25 over any word, with title words counted twice; ties by id. Never
   * throws because of the text.
   */
  search(query: string, limit: number): ScoredNumber[];
  /** Passages by number, from 1. Throws for an unknown number. */
  read(numbers: readonly number[]): ReadonlyMap<number, Passage>;
  close(): void;
}

/** Cache per connection, for the upper levels of the trees. */
const CACHE_KIB = 32 * 1024;

/** Index in a file; undefined if missing, damaged, or of another version. */
export function openKeptIndex(file: string): PassageIndex | undefined {
  if (!existsSync(file)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const meta = readMeta(database, passageIndexMetaSchema);
    if (meta?.version === INDEX_VERSION) return indexIn(database, meta);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
  database?.close();
  return undefined;
}

/** Opens an index named by the user. Throws `UserError` if invalid, damaged, or of another version. */
export function openIndexFile(file: string): PassageIndex {
  const index = openKeptIndex(file);
  if (index) return index;
  const problem = existsSync(file)
    ? `not a passage index of version ${INDEX_VERSION}, or a damaged one; build it again`
    : 'there is no passage index; build it';
  throw new UserError(`${file}: ${problem} with coa-distill tools index CORPUS --out ${file}`);
}

/** Metadata of an index named by the user, as with {@link openIndexFile}. */
export function readIndexMeta(file: string): PassageIndexMeta {
  const index = openIndexFile(file);
  index.close();
  return index.meta;
}

/** Additional passages read to resolve ties. */
const TIES = 64;

/** Scores the first `?` passages that contain a word. */
const BEST = `
  SELECT number, score FROM (
    SELECT * FROM (
      SELECT rowid AS number, -bm25(words, ${TITLE_WEIGHT}, 1) AS score FROM words WHERE words MATCH ? LIMIT ?
    ) ORDER BY score DESC, number LIMIT ?
  ) LEFT JOIN passages USING (number) ORDER BY score DESC, id, number LIMIT ?
`;

/**
 * Opens without a full check, so that an index of millions of passages is ready at once: damage shows in a search, a
 * truncated file immediately.
 */
function indexIn(database: DatabaseSync, meta: PassageIndexMeta): PassageIndex {
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  const best = database.prepare(BEST);
  const one = database.prepare('SELECT id, contents FROM passages WHERE number = ?');
  const mostPassages = Math.max(LEAST_LOOKED_AT, Math.floor(meta.passages * SHARE_LOOKED_AT));
  const choose = createWordChoice(database, meta.passages, mostPassages);
  const bestOf = (words: readonly string[], limit: number) => {
    if (words.length === 0) return [];
    return best.all(expressionOf(words), mostPassages, limit + TIES, limit) as unknown as ScoredNumber[];
  };
  const passage = (number: number): Passage => {
    const { id, contents } = one.get(number) ?? {};
    if (typeof id === 'string' && typeof contents === 'string') return { id, contents };
    throw new Error(`the index has no passage ${number}: it is damaged`);
  };
  return {
    meta,
    search(query, limit) {
      const { rarest, next } = choose(wordsOf(query));
      const found = bestOf(rarest, limit);
      if (next === undefined || found.length === limit) return found;
      const known = new Set(found.map(({ number }) => number));
      const others = bestOf([next], limit).filter(({ number }) => !known.has(number));
      return [...found, ...others].slice(0, limit);
    },
    read: (numbers) => new Map(numbers.map((number) => [number, passage(number)])),
    close: () => database.close(),
  };
}

/**
 * Minimum passages, counted per word, read by a search: FTS5 takes about 0.4 µs each, and "the" is in nearly all of a
 * corpus.
 */
const LEAST_LOOKED_AT = 50_000;
const SHARE_LOOKED_AT = 0.1;

/** Searched words of a query, and the next rarest if some are left out. */
interface ChosenWords {
  readonly rarest: readonly string[];
  readonly next?: string | undefined;
}

/**
 * Selects the words of a query found in at most `mostPassages` passages, rarest first. SQLite has no function for
 * FTS5's tokenizer, so words are indexed in a temporary table and read back as terms.
 */
function createWordChoice(database: DatabaseSync, passages: number, mostPassages: number) {
  database.exec(`
    PRAGMA temp_store = MEMORY;
    CREATE VIRTUAL TABLE temp.query USING fts5(word, content = '', ${TOKENIZE});
    CREATE VIRTUAL TABLE temp.terms USING fts5vocab(temp, query, instance);
  `);
  const insert = database.prepare('INSERT INTO temp.query (rowid, word) VALUES (?, ?)');
  const counts = database.prepare(`
    SELECT doc AS place, min(coalesce(passages, ${COMMON_FROM})) AS passages
    FROM temp.terms LEFT JOIN common_words USING (term) GROUP BY doc ORDER BY passages, doc
  `);
  const byRarity = (words: readonly string[]) => {
    database.exec('BEGIN');
    try {
      for (const [place, word] of words.entries()) insert.run(place, word);
      return counts.all() as unknown as { readonly place: number; readonly passages: number }[];
    } finally {
      database.exec('ROLLBACK');
    }
  };
  return (words: readonly string[]): ChosenWords => {
    if (words.length * passages <= mostPassages) return { rarest: words };
    const counted = byRarity(words);
    let lookedAt = 0;
    const end = counted.findIndex((word) => {
      lookedAt += word.passages;
      return lookedAt > mostPassages;
    });
    if (end < 0) return { rarest: words };
    const ordered = counted.map(({ place }) => words[place]!);
    return { rarest: ordered.slice(0, end), next: ordered[end] };
  };
}

/** Maximum characters of the row, ample for a model's name and prefix. */
const MAX_META = 65_536;

/** Single row of a database's table `meta`, as JSON of a schema; undefined if missing or not such a database. */
export function readMeta<T>(database: DatabaseSync, schema: z.ZodType<T>): T | undefined {
  try {
    const row = database.prepare('SELECT substr(value, 1, ?) AS value FROM meta').get(MAX_META);
    const parsed = safeParseJson((row?.value as string | undefined) ?? '');
    return parsed.ok ? schema.safeParse(parsed.value).data : undefined;
  } catch (error) {
    if (isSqliteError(error)) return undefined;
    throw error;
  }
}

/** True for errors of SQLite, thrown for a damaged file and for a file of another kind. */
function isSqliteError(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_SQLITE_ERROR';
}
