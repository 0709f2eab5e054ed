import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../../base/userError.ts';
import { type PassageIndexMeta, passageIndexMetaSchema } from '../../../schemas/passageIndexMeta.ts';
import type { Passage } from '../passage.ts';
import type { ScoredNumber } from './createCandidateScorer.ts';
import { hasLayout, INDEX_VERSION, isSqliteError, LAYOUT, readMeta } from './indexLayout.ts';
import { createBlockReader } from './passageBlocks.ts';
import { createPassageSearch } from './passageSearch.ts';

export interface PassageIndex {
  readonly meta: PassageIndexMeta;
  search(query: string, limit: number): ScoredNumber[];
  /** The passages of some numbers, from 1 in the order of the corpus. */
  read(numbers: Iterable<number>): ReadonlyMap<number, Passage>;
  close(): void;
}

/** Part of the file that is kept in memory for each connection: the upper levels of its trees. */
const CACHE_KIB = 32 * 1024;

/** The index in a file, or undefined when there is none, it is damaged, or of another version. */
export function openKeptIndex(file: string): PassageIndex | undefined {
  if (!existsSync(file)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const meta = isOurs(database) ? readMeta(database, passageIndexMetaSchema) : undefined;
    if (meta?.version === INDEX_VERSION) return indexIn(database, meta);
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
  database?.close();
  return undefined;
}

function isOurs(database: DatabaseSync): boolean {
  const ours = new DatabaseSync(':memory:');
  try {
    ours.exec(LAYOUT);
    return hasLayout(database, ours);
  } finally {
    ours.close();
  }
}

/** Opens an index that the user names. Throws `UserError` when it is none, damaged, or of another version. */
export function openIndexFile(file: string): PassageIndex {
  if (!existsSync(file))
    throw new UserError(
      `${file}: there is no passage index; build it with coa-distill tools index CORPUS --out ${file}`,
    );
  const index = openKeptIndex(file);
  if (index) return index;
  throw new UserError(
    `${file}: no passage index of version ${INDEX_VERSION}, or a damaged one; build it again with coa-distill tools index CORPUS --out ${file}`,
  );
}

/** What an index that the user names says of itself, as with {@link openIndexFile}. */
export function readIndexMeta(file: string): PassageIndexMeta {
  const index = openIndexFile(file);
  index.close();
  return index.meta;
}

/**
 * Pages are not all looked at, so that an index of millions of passages opens at once: damage inside shows in a search.
 * A file that is too short is told at once.
 */
function indexIn(database: DatabaseSync, meta: PassageIndexMeta): PassageIndex {
  database.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  const read = createBlockReader(database);
  const { search, close } = createPassageSearch(database, meta.passages, read);
  return {
    meta,
    search,
    read,
    close: () => {
      close();
      database.close();
    },
  };
}
