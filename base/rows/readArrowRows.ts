import { isolatedRows } from '../isolated/isolatedRows.ts';
import { moduleBeside } from '../moduleBeside.ts';
import { UserError } from '../userError.ts';

/**
 * Rows of an Arrow file as `save_to_disk` of `datasets` leaves it (an IPC stream), one batch in memory at a time, read
 * in a process of their own: offsets and lengths of a damaged file keep the decoder busy for ever.
 *
 * @throws UserError when the file is missing or is none, or takes too much time or memory for its size
 */
export async function* readArrowRows(
  file: string,
): AsyncGenerator<{ readonly row: number; readonly value: unknown }> {
  let row = 0;
  const batches = isolatedRows<unknown>({
    file,
    module: moduleBeside(import.meta.url, 'arrowRowsProcess'),
    explain: (cause) =>
      new UserError(
        `${file}: no readable Arrow stream after row ${row} (${(cause as Error).message}); write it again`,
        { cause },
      ),
  });
  for await (const rows of batches) {
    for (const value of rows) {
      row += 1;
      yield { row, value };
    }
  }
}
