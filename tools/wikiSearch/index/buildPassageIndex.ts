import { on } from 'node:events';
import { statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { buildFile } from '../../../base/files/atomicFile.ts';
import { makeFolder } from '../../../base/files/makeFolder.ts';
import { moduleBeside } from '../../../base/moduleBeside.ts';
import { UserError } from '../../../base/userError.ts';
import type { PassageIndexMeta } from '../../../schemas/passageIndexMeta.ts';
import { type CorpusBlock, type CorpusEnd, corpusBlocks } from './corpusBlocks.ts';
import type { CorpusMessage } from './corpusWorker.ts';
import { COMMON_FROM, INDEX_VERSION, LAYOUT } from './indexLayout.ts';

/** How far a build is. */
export interface BuildProgress {
  readonly passages: number;
  /** Read of the corpus file. */
  readonly bytesRead: number;
}

export interface BuildOptions {
  /** The build throws its reason and leaves no file. */
  readonly signal?: AbortSignal;
  /** Called after each block of passages. */
  readonly onProgress?: (progress: BuildProgress) => void;
  /** Called once all passages are read, before their sorted runs of words are merged: a sixth of the time. */
  readonly onMerge?: (passages: number) => void;
}

/** A file below is read within the time that a thread takes to start. */
const THREAD_FROM_BYTES = 8 * 1024 * 1024;

/** Words that are gathered in memory before they are sorted and written as a run: 64 MiB were no quicker. */
const GATHERED_BYTES = 16 * 1024 * 1024;

/** Runs are left alone until the end, where all are merged at once, so that most words are written twice only. */
const RUNS = `
  INSERT INTO passages(passages, rank) VALUES ('hashsize', ${GATHERED_BYTES});
  INSERT INTO passages(passages, rank) VALUES ('automerge', 0);
  INSERT INTO passages(passages, rank) VALUES ('crisismerge', 256);
`;

/** A build that dies is thrown away, so nothing is synced before its end, and no journal gets to the disk. */
const SETTINGS = `
  PRAGMA page_size = 8192; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768;
`;

/**
 * Builds the index of a corpus file under `indexPath`, streaming: memory does not grow with the corpus. The file
 * appears under its name only when it is complete and on disk.
 *
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
  const database = new DatabaseSync(file);
  try {
    database.exec(`${SETTINGS} BEGIN; ${LAYOUT}`);
    database.exec(RUNS);
    const inserted = await insertPassages(database, corpus, options);
    if (inserted.passages === 0) throw new UserError(`${corpus}: the corpus holds no passages`);
    options.onMerge?.(inserted.passages);
    database.exec(`INSERT INTO passages(passages) VALUES ('optimize')`);
    countCommonWords(database);
    const meta: PassageIndexMeta = {
      format: 'coa-distill passage index',
      version: INDEX_VERSION,
      ...inserted,
    };
    database.prepare('INSERT INTO meta VALUES (?)').run(JSON.stringify(meta));
    database.exec('COMMIT');
    return meta;
  } finally {
    database.close();
  }
}

async function insertPassages(database: DatabaseSync, corpus: string, { signal, onProgress }: BuildOptions) {
  const insert = database.prepare('INSERT INTO passages (rowid, title, text) VALUES (?, ?, ?)');
  const keep = database.prepare('INSERT INTO blocks VALUES (?, ?)');
  const blocks = isLarge(corpus) ? blocksFromThread(corpus) : corpusBlocks(corpus);
  let passages = 0;
  try {
    for (let next = await blocks.next(); ; next = await blocks.next()) {
      if (next.done) return { corpus_sha256: next.value.sha256, passages };
      const { columns, packed, bytesRead } = next.value;
      keep.run(passages + 1, packed);
      for (const [title, text] of columns) insert.run(++passages, title, text);
      signal?.throwIfAborted();
      onProgress?.({ passages, bytesRead });
    }
  } finally {
    // Ends the thread of a build that fails or is stopped.
    await blocks.return({ sha256: '' });
  }
}

/** A file that is not there is told by who reads it. */
function isLarge(corpus: string): boolean {
  return (statSync(corpus, { throwIfNoEntry: false })?.size ?? 0) >= THREAD_FROM_BYTES;
}

function countCommonWords(database: DatabaseSync): void {
  database.exec(`
    CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, passages, row);
    INSERT INTO common_words SELECT term, doc FROM temp.words WHERE doc >= ${COMMON_FROM};
    DROP TABLE temp.words;
  `);
}

/**
 * `corpusBlocks` on a thread of its own, a bounded amount of text ahead. The thread ends with the generator.
 *
 * @throws what `corpusBlocks` throws, and when the thread ends before its time
 */
export async function* blocksFromThread(corpus: string): AsyncGenerator<CorpusBlock, CorpusEnd> {
  const worker = new Worker(moduleBeside(import.meta.url, 'corpusWorker'), { env: {}, workerData: corpus });
  try {
    for await (const [message] of on(worker, 'message', { close: ['exit'] })) {
      const sent = message as CorpusMessage;
      if (sent.kind === 'end') return sent.end;
      if (sent.kind === 'malformed') throw new UserError(sent.why);
      yield sent.block;
      worker.postMessage('taken');
    }
    throw new Error(`${corpus}: the thread that reads the corpus ended before its end`);
  } finally {
    await worker.terminate();
  }
}
