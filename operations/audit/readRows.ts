import { stat } from 'node:fs/promises';
import path from 'node:path';
import { readArrowRows } from '../../base/rows/readArrowRows.ts';
import type { SourceRow } from '../../output/audit/read/datasetParts.ts';
import { detectFormat } from '../../output/lint/read/detectFormat.ts';
import { readPieces } from '../../output/lint/read/readPieces.ts';

/**
 * Rows of a dataset file: an Arrow stream by its ending, else a JSON list, JSON lines or parquet by its first bytes.
 *
 * @throws UserError when the file is missing, cut off or of another kind
 */
export async function* readRows(file: string): AsyncGenerator<SourceRow> {
  if (path.extname(file) === '.arrow') {
    for await (const { row, value } of readArrowRows(file)) yield { file, row, content: { value } };
    return;
  }
  // A split may have no rows, and a shard may have lost them: others compare how many there should be.
  if ((await stat(file)).size === 0) return;
  for await (const piece of readPieces(file, await detectFormat(file))) {
    if (piece.kind === 'row') yield { file, row: piece.row, content: piece.parsed };
  }
}
