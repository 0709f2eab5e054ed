import type { FileRow } from '../../../base/rows/fileRow.ts';
import { openRowFile } from '../../../base/rows/openRowFile.ts';
import { plainFileSize } from '../../../base/rows/rowFormat.ts';

/** A row, and the file that it stands in as the user should see it. */
export type SourceRow = FileRow & { readonly file: string };

/** Reads the rows of a file, in order, a few in memory at a time. */
export type RowReader = (file: string) => AsyncIterable<SourceRow>;

/**
 * Rows of a dataset file.
 *
 * @throws UserError when the file is missing, cut off or of another kind
 */
export async function* readRows(file: string): AsyncGenerator<SourceRow> {
  // A split may have no rows, and a shard may have lost them: others compare how many there should be.
  if ((await plainFileSize(file)) === 0) return;
  const { rows } = await openRowFile(file);
  for await (const row of rows()) yield { file, ...row };
}
