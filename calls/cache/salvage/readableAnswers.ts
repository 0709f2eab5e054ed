import { answerChecksum, answerColumns, readAnswer } from '../answerRow.ts';
import { logFrames } from './logFrames.ts';
import { PAGE_BYTES, PagedFile } from './pagedFile.ts';
import { type RowValue, rowsOnPage } from './rowsOnPage.ts';

/**
 * The answers that can be read from a damaged cache, as the values of a row with its checksum. Rows of versions that
 * wrote no checksums are taken as they read, but only from a file in which no row has one: elsewhere they are what an
 * update left behind.
 *
 * @param part `unused_log`: only what SQLite will not read because the log is damaged before it
 */
export function* readableAnswers(path: string, part: 'all' | 'unused_log'): Generator<readonly RowValue[]> {
  let hasChecksums = part === 'unused_log';
  for (const values of readableRows(path, part)) {
    if (!isAnswer(values)) continue;
    hasChecksums = true;
    yield values;
  }
  if (hasChecksums) return;
  for (const values of readableRows(path, part)) {
    const row = [...values, answerChecksum(values)];
    if (isAnswer(row)) yield row;
  }
}

function isAnswer(values: readonly RowValue[]): boolean {
  const row = Object.fromEntries([...answerColumns, 'checksum'].map((column, at) => [column, values[at]]));
  return values.length === answerColumns.length + 1 && readAnswer(row) !== undefined;
}

/**
 * The rows of `answers` that can be read from a damaged cache and its log, whatever became of the pages that lead to
 * them (sqlite.org/fileformat2.html). A row may be damaged itself; its checksum tells.
 *
 * @param part `unused_log`: only what SQLite will not read because the log is damaged before it
 */
function* readableRows(path: string, part: 'all' | 'unused_log'): Generator<readonly RowValue[]> {
  const file = new PagedFile(path);
  const log = new PagedFile(`${path}-wal`);
  try {
    const frames = logFrames(log);
    const latest = new Map(frames.map(({ page, offset }) => [page, offset]));
    const pageOf = (page: number) => {
      const offset = latest.get(page);
      return offset === undefined ? file.read((page - 1) * PAGE_BYTES) : log.read(offset);
    };
    for (const { offset, used } of frames) {
      if (part === 'all' || !used) yield* rowsOnPage(log.read(offset)!, pageOf);
    }
    for (let offset = 0; part === 'all' && offset < file.size; offset += PAGE_BYTES) {
      yield* rowsOnPage(file.read(offset)!, pageOf);
    }
  } finally {
    file.close();
    log.close();
  }
}
