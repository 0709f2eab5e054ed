import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { buildFile } from '../../base/files/atomicFile.ts';
import { readProblem } from '../../base/files/diskError.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { linesOf, type RawLine } from '../../base/journal/readLines.ts';
import { through } from '../../base/rows/fileBytes.ts';
import { UserError } from '../../base/userError.ts';
import type { PassageIndexMeta } from '../../schemas/passageIndexMeta.ts';
import { COMMON_FROM, INDEX_VERSION, LAYOUT, openKeptIndex } from './openPassageIndex.ts';
import { type Passage, parsePassage, splitContents } from './passage.ts';

/** Progress of a build. */
export interface BuildProgress {
  readonly passages: number;
  /** Bytes read of the corpus file. */
  readonly bytesRead: number;
}

export interface BuildOptions {
  /** On abort the build throws its reason and leaves no file. */
  readonly signal?: AbortSignal;
  /** Called after every 32 passages. */
  readonly onProgress?: (progress: BuildProgress) => void;
  /**
   * Called after all passages are read, before merging their sorted runs of words, which takes a sixth of the time.
   */
  readonly onMerge?: (passages: number) => void;
}

const PROGRESS_EVERY_PASSAGES = 32;

/** Bytes of words gathered in memory before they are sorted and written as a run: 64 MiB were no faster. */
const GATHERED_BYTES = 16 * 1024 * 1024;

/** Leaves runs unmerged until the end, where all are merged at once, so that most words are written only twice. */
const RUNS = `
  INSERT INTO words(words, rank) VALUES ('hashsize', ${GATHERED_BYTES});
  INSERT INTO words(words, rank) VALUES ('automerge', 0);
  INSERT INTO words(words, rank) VALUES ('crisismerge', 256);
`;

/** Disables syncing and the journal: an interrupted build is discarded. */
const SETTINGS = `
  PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;
`;

/** An index on disk. */
export interface KeptIndex {
  readonly file: string;
  readonly meta: PassageIndexMeta;
}

/**
 * Search index of a corpus: JSONL of `{"id", "contents"}`, contents = `"Title"\ntext`, also as `.gz`. It is built
 * once and cached in `cacheFolder` under the corpus's SHA-256; a damaged one is rebuilt.
 *
 * Throws `UserError` for a missing, empty or malformed corpus, with file and line.
 */
export async function keepPassageIndex(corpusPath: string, cacheFolder: string): Promise<KeptIndex> {
  const sha256 = await hashCorpus(corpusPath);
  const file = path.join(cacheFolder, `passages-v${INDEX_VERSION}-${sha256}.sqlite`);
  const kept = openKeptIndex(file);
  kept?.close();
  if (kept) return { file, meta: kept.meta };
  await rm(file, { force: true });
  return { file, meta: await buildPassageIndex(corpusPath, file) };
}

/** SHA-256 of a corpus file. Throws `UserError` if unreadable. */
export async function hashCorpus(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash).catch((error: Error) => unreadable(file, error));
  return hash.digest('hex');
}

/**
 * Builds the index of a corpus file under `indexPath`, streaming: memory does not grow with the corpus. The file gets
 * its name only when complete and on disk.
 * @throws UserError for a malformed or empty corpus
 */
export async function buildPassageIndex(
  corpusPath: string,
  indexPath: string,
  options: BuildOptions = {},
): Promise<PassageIndexMeta> {
  await makeFolder(path.dirname(indexPath));
  return buildFile(indexPath, (building) => fillIndex(corpusPath, building, options));
}

async function fillIndex(corpus: string, file: string, options: BuildOptions): Promise<PassageIndexMeta> {
  using database = new DatabaseSync(file);
  database.exec(`${SETTINGS} BEGIN; ${LAYOUT}`);
  database.exec(RUNS);
  const inserted = await insertPassages(database, corpus, options);
  if (inserted.passages === 0) throw new UserError(`${corpus}: the corpus holds no passages`);
  options.onMerge?.(inserted.passages);
  database.exec(`
    INSERT INTO words(words) VALUES ('optimize');
    CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, words, row);
    INSERT INTO common_words SELECT term, doc FROM temp.terms WHERE doc >= ${COMMON_FROM};
    DROP TABLE temp.terms;
  `);
  const meta: PassageIndexMeta = {
    format: 'coa-distill passage index',
    version: INDEX_VERSION,
    ...inserted,
  };
  database.prepare('INSERT INTO meta VALUES (?)').run(JSON.stringify(meta));
  database.exec('COMMIT');
  return meta;
}

async function insertPassages(database: DatabaseSync, corpus: string, { signal, onProgress }: BuildOptions) {
  const insert = database.prepare('INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)');
  const keep = database.prepare('INSERT INTO passages VALUES (?, ?, ?)');
  const hash = createHash('sha256');
  let [passages, bytesRead] = [0, 0];
  const onRead = (bytes: Buffer) => {
    hash.update(bytes);
    bytesRead += bytes.length;
  };
  for await (const { id, contents } of readPassages(corpus, onRead)) {
    const { title, text } = splitContents(contents);
    passages += 1;
    keep.run(passages, id, contents);
    insert.run(passages, title, text);
    if (passages % PROGRESS_EVERY_PASSAGES !== 0) continue;
    signal?.throwIfAborted();
    onProgress?.({ passages, bytesRead });
  }
  return { corpus_sha256: hash.digest('hex'), passages };
}

/**
 * Passages of a corpus in order.
 * @param onRead given the file's own bytes as they are read
 * @throws UserError for a file that can't be read, and for a line that is not a passage
 */
export async function* readPassages(
  corpus: string,
  onRead: (bytes: Buffer) => void = () => {},
): AsyncGenerator<Passage> {
  for await (const { number, bytes } of readCorpus(corpus, onRead)) yield parsePassage(bytes, corpus, number);
}

/** Maximum line length, 1 MiB; a passage has about a thousand bytes. */
const MAX_LINE_BYTES = 1024 * 1024;
const READ_BYTES = 1024 * 1024;

/**
 * Non-blank lines of a file; a file named `.gz` is decompressed.
 * @param onRead given the file's own bytes as they are read, compressed ones too
 * @throws UserError for a file that can't be read, is not gzip, or has an endless line
 */
async function* readCorpus(file: string, onRead: (bytes: Buffer) => void): AsyncGenerator<RawLine> {
  try {
    for await (const line of linesOf(chunksOf(file, onRead), MAX_LINE_BYTES)) {
      if (!isBlank(line.bytes)) yield line;
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new UserError(`${file}: ${error.message}; expected one passage a line`, { cause: error });
    throw error;
  }
}

async function* chunksOf(file: string, onRead: (bytes: Buffer) => void): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: READ_BYTES });
  source.on('data', (bytes) => onRead(bytes as Buffer));
  try {
    yield* file.endsWith('.gz') ? through<Buffer>(source, createGunzip({ chunkSize: READ_BYTES })) : source;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined || error instanceof UserError) throw error;
    unreadable(file, error as Error);
  } finally {
    source.destroy();
  }
}

function unreadable(file: string, cause: Error): never {
  throw new UserError(`${file}: the passage corpus can't be read (${readProblem(cause)})`, { cause });
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
