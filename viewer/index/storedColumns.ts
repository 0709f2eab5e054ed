import { recallFact, type Statements, saveFacts } from './indexDatabase.ts';
import { CHUNK_ROWS, RowColumns } from './rowColumns.ts';

/** Writes the chunks of columns that changed, from where they stand: copies would wait to be collected. */
export function saveColumns(sql: Statements, { changed, size, all, words }: RowColumns): void {
  for (const chunk of changed) {
    const from = chunk * CHUNK_ROWS;
    for (const [name, column] of all)
      sql.saveChunk.run(name, chunk, column.bytes(from, Math.min(from + CHUNK_ROWS, size)));
  }
  changed.clear();
  saveFacts(sql, { size, words: Object.fromEntries([...words].map(([name, { words }]) => [name, words])) });
}

/** Reads what {@link saveColumns} wrote. */
export function loadColumns(sql: Statements): RowColumns {
  const columns = new RowColumns(recallFact(sql, 'words') as never);
  columns.size = recallFact(sql, 'size') as number;
  columns.reserve(columns.size);
  const byName = new Map(columns.all);
  for (const stored of sql.chunks.iterate()) {
    const { name, chunk, bytes } = stored as { name: string; chunk: number; bytes: Uint8Array };
    byName
      .get(name)!
      .bytes(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS)
      .set(bytes);
  }
  return columns;
}
