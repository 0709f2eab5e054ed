import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../../base/userError.ts';

/** A file to lint. */
export interface DatasetFile {
  /** As the user wrote it, or the folder's path and the file's place in it. */
  readonly path: string;
  readonly bytes: number;
  /** False for files found in a folder: those that hold no trajectories are passed over. */
  readonly named: boolean;
}

const endings: ReadonlySet<string> = new Set(['.json', '.jsonl', '.ndjson', '.parquet']);

/**
 * The files that paths stand for: a file is itself, a folder its dataset files at any depth, in order of their names.
 * Throws `UserError` for a path that does not exist and for a folder without such files.
 */
export async function findDatasetFiles(paths: readonly string[]): Promise<DatasetFile[]> {
  const found = await Promise.all(paths.map(filesAt));
  return found.flat();
}

async function filesAt(given: string): Promise<DatasetFile[]> {
  const status = await stat(given).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'there is no such file or folder' : `can't be read (${error.code})`;
    throw new UserError(`${given}: ${why}; check the path`);
  });
  if (!status.isDirectory()) return [{ path: given, bytes: status.size, named: true }];
  const entries = await readdir(given, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && endings.has(path.extname(entry.name).toLowerCase()))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
  if (names.length === 0) {
    throw new UserError(`${given}: the folder holds no ${[...endings].join(', ')} file; name a dataset file`);
  }
  return Promise.all(
    names.map(async (name) => ({ path: name, bytes: (await stat(name)).size, named: false })),
  );
}
