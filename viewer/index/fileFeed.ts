import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readLines } from '../../base/journal/readLines.ts';
import { safeParseJson } from '../../base/json.ts';
import { openRows } from '../../operations/standalone/openRows.ts';
import { rowTrajectory } from '../../operations/standalone/rowTrajectory.ts';
import type { SourceRow } from '../../operations/standalone/sourceRow.ts';
import { detectFormat } from '../../output/lint/read/detectFormat.ts';
import { findDatasetFiles } from '../../output/lint/read/findDatasetFiles.ts';
import { builtinRegistry } from '../../schemas/coa/profileRegistry.ts';
import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { RowChange } from './fields.ts';
import type { RecordFeed } from './liveIndex.ts';
import { trajectoryFacts } from './recordFacts.ts';

/** What stands for a stage where rows come from files. */
export const FILE_STAGE = 'file';

const positionSchema = z.object({ files: z.string() });

/** The rows of a file, or of all files of a folder, as records that are kept. Files that change are read again. */
export function createFileFeed(given: string): RecordFeed {
  return {
    identity: path.resolve(given),
    async look(position) {
      const found = await findDatasetFiles([given]);
      const files = await fingerprint(found.map((file) => file.path));
      const stored = positionSchema.safeParse(position);
      const isSame = stored.success && stored.data.files === files;
      // Only where all of them were read: those of which a kill left some are read again.
      const own = { files: isSame ? files : '' };
      return {
        goesOn: position === undefined || isSame,
        position: own,
        isEmpty: isSame,
        async *changes() {
          for (const file of found) for await (const change of fileChanges(file.path)) yield [[change]];
          own.files = files;
        },
        progress: () => ({ share: isSame ? 1 : 0.5, damaged: 0 }),
      };
    },
  };
}

async function fingerprint(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of paths) {
    const { size, mtimeMs, ino } = await stat(file);
    hash.update(`${file} ${size} ${mtimeMs} ${ino}\n`);
  }
  return hash.digest('hex');
}

/** A row of a file as a record: where it stands is the byte of its line, or its number where there are no lines. */
async function* fileChanges(file: string): AsyncGenerator<RowChange> {
  for await (const { row, offset, length } of placedRows(file)) {
    const key = { taskId: `${path.basename(file)}:${row.row}`, rollout: 0 };
    const place = { stage: file, isLedger: false, offset, length };
    const read = readRow(row);
    const facts =
      'problem' in read
        ? {
            facets: { state: 'failed', stage: FILE_STAGE, reason: 'no trajectory' },
            texts: { ids: key.taskId },
          }
        : trajectoryFacts(FILE_STAGE, read.trajectory);
    const { facets } = facts;
    const isRead = 'trajectory' in read;
    yield {
      key,
      place,
      facts: {
        ...facts,
        facets: { ...facets, ...(isRead && { state: 'kept' }), source: path.basename(file) },
      },
    };
  }
}

interface PlacedRow {
  readonly row: SourceRow;
  readonly offset: number;
  readonly length: number;
}

async function* placedRows(file: string): AsyncGenerator<PlacedRow> {
  if ((await detectFormat(file)) === 'json_lines') {
    for await (const { bytes, number, offset } of readLines(file))
      if (bytes.length > 0) yield { row: rowOfLine(file, bytes, number), offset, length: bytes.length };
    return;
  }
  const source = await openRows([file], { rereadable: false, signal: new AbortController().signal });
  for await (const row of source.rows) yield { row, offset: row.row, length: 0 };
}

/** A line of JSON as a row. */
export function rowOfLine(file: string, bytes: Buffer, number: number): SourceRow {
  const parsed = safeParseJson(bytes.toString('utf8'));
  return {
    index: number - 1,
    file,
    row: number,
    line: number,
    bytes,
    parsed: parsed.ok ? { value: parsed.value } : { problem: parsed.error },
  };
}

/** The trajectory of a row, or why there is none. */
export function readRow(row: SourceRow): { trajectory: Trajectory } | { problem: string } {
  const options = { profiles: builtinRegistry, profile: undefined, systemPrompt: qwenSystemPrompt };
  try {
    return { trajectory: rowTrajectory(row, options) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
