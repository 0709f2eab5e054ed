import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { FileRow } from '../../base/rows/fileRow.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { type FoundRowFile, rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { UserError } from '../../base/userError.ts';
import { rowTrajectory } from '../../operations/standalone/rowTrajectory.ts';
import { rowSaid, type SourceRow, whatRowSays } from '../../operations/standalone/sourceRow.ts';
import { createIdDecoder } from '../../output/tokenizers/decodeIds.ts';
import { builtinRegistry } from '../../schemas/coa/profileRegistry.ts';
import { BUNDLED_TOKENIZER, qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { RowChange, RowFacts } from './fields.ts';
import type { RecordFeed } from './liveIndex.ts';
import { MAX_SEARCHED, trajectoryFacts } from './recordFacts.ts';

const FILE_STAGE = 'file';

/**
 * Rows of a file, or of all trajectory files in a folder, shown as kept records. Changed files are read again; of a
 * broken file, the rows before the error are shown.
 */
export function createFileFeed(given: string): RecordFeed {
  /** Fingerprint of the files once all have been read. */
  let read = '';
  /** Files that could not be read to the end, with the reason. */
  let problems: string[] = [];
  return {
    async look() {
      const found = await rowFilesAt(given, 'all');
      const files = await fingerprint(found.map((file) => file.path));
      const isSame = read === files;
      if (!isSame) [read, problems] = ['', []];
      return {
        startsOver: !isSame,
        isEmpty: isSame,
        async *changes() {
          for (const file of found)
            for await (const change of changesOrProblem(file, given, problems)) yield [[change]];
          read = files;
        },
        progress: () => ({
          share: isSame ? 1 : 0.5,
          damaged: 0,
          ...(problems.length > 0 && { problem: problems.join('; ') }),
        }),
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

async function* changesOrProblem(
  file: FoundRowFile,
  given: string,
  problems: string[],
): AsyncGenerator<RowChange> {
  try {
    yield* fileChanges(file, file.isNamed ? file.name : path.relative(given, file.path));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.push(error.message);
  }
}

/** Rows as records, placed by the byte of their line, or by number if the file has no lines. */
async function* fileChanges(file: FoundRowFile, name: string): AsyncGenerator<RowChange> {
  for await (const { row, offset, length } of placedRows(file)) {
    const key = { taskId: `${name}:${row.row}`, rollout: 0 };
    const place = { stage: file.path, isLedger: false, offset, length };
    const read = readRow(row);
    const facts =
      'problem' in read
        ? foreignFacts(key.taskId, rowText(row))
        : trajectoryFacts(FILE_STAGE, read.trajectory);
    const { facets } = facts;
    const isRead = 'trajectory' in read;
    yield {
      key,
      place,
      facts: { ...facts, facets: { ...facets, ...(isRead && { state: 'kept' }), source: name } },
    };
  }
}

/** Makes a row that is not a trajectory searchable by its text. */
function foreignFacts(id: string, text: string): RowFacts {
  return {
    facets: { state: 'failed', stage: FILE_STAGE, reason: 'no trajectory' },
    texts: { ids: id, question: text.slice(0, MAX_SEARCHED) },
    shown: { question: text },
  };
}

/** The row's text in its file, or JSON if the file does not hold its bytes. */
export function rowText(row: SourceRow): string {
  return 'value' in row ? JSON.stringify(row.value) : Buffer.from(row.bytes ?? []).toString('utf8');
}

interface PlacedRow {
  readonly row: SourceRow;
  readonly offset: number;
  /** 0 if the file does not hold the row's own bytes. */
  readonly length: number;
}

/** The rows of a file. A file found in a folder yields none unless its first row has an answer. */
async function* placedRows(file: FoundRowFile): AsyncGenerator<PlacedRow> {
  const rowFile = await openRowFile(file.path).catch((error: unknown) => {
    if (!file.isNamed && error instanceof UserError) return undefined;
    throw error;
  });
  if (!rowFile) return;
  for await (const found of rowFile.rows()) {
    const row = await sourceRow(file.path, found);
    if (row.row === 1 && !file.isNamed && !hasAnswer(row)) return;
    const length = (rowFile.isPlainJson && row.bytes?.length) || 0;
    yield { row, offset: row.bytesRead - length, length };
  }
}

function hasAnswer(row: SourceRow): boolean {
  try {
    rowSaid(row, 'answer');
    return true;
  } catch {
    return false;
  }
}

const decode = createIdDecoder(BUNDLED_TOKENIZER);

export async function sourceRow(file: string, row: FileRow): Promise<SourceRow> {
  return { ...row, index: row.row - 1, file, said: await whatRowSays(row, decode) };
}

/** Trajectory of a row, or the reason for not having one. */
export function readRow(row: SourceRow): { trajectory: Trajectory } | { problem: string } {
  const options = { profiles: builtinRegistry, profile: undefined, systemPrompt: qwenSystemPrompt };
  try {
    return { trajectory: rowTrajectory(row, options) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
