import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import { testsFolder } from '../run/openTestStore.ts';
import { plantedPath, stagePaths } from '../run/stageFiles.ts';

/** Puts the files that stages of workers read into the database: tests, and the tasks for an embedded teacher. */
export async function sendFiles(
  database: SharedDatabase,
  run: string,
  { runFolder, withTasks }: { readonly runFolder: string; readonly withTasks: boolean },
): Promise<void> {
  const tests = testsFolder(runFolder);
  const names = existsSync(tests) ? await readdir(tests) : [];
  const { records, stageFile } = stagePaths(runFolder, 'tasks');
  const paths = [...names.map((name) => join(tests, name)), ...(withTasks ? [records, stageFile] : [])];
  for (const path of paths) await sendFile(database, run, { runFolder, path });
}

/** Puts a file into the database, in place of what stands there. */
async function sendFile(
  database: SharedDatabase,
  run: string,
  { runFolder, path }: { readonly runFolder: string; readonly path: string },
): Promise<void> {
  const sql = `INSERT INTO file VALUES ($1, $2, $3) ON CONFLICT (run, path) DO UPDATE SET body = excluded.body`;
  await database.query(sql, [run, relative(runFolder, path), await readFile(path)]);
}

/** Writes the files of a run into a folder, one after another. */
export async function fetchFiles(database: SharedDatabase, run: string, runFolder: string): Promise<void> {
  const paths = await database.query<{ path: string }>('SELECT path FROM file WHERE run = $1', [run]);
  for (const { path } of paths) await fetchFile(database, run, { runFolder, path: join(runFolder, path) });
}

async function fetchFile(
  database: SharedDatabase,
  run: string,
  { runFolder, path }: { readonly runFolder: string; readonly path: string },
): Promise<void> {
  const sql = 'SELECT body FROM file WHERE run = $1 AND path = $2';
  const [row] = await database.query<{ body: Buffer }>(sql, [run, relative(runFolder, path)]);
  if (!row) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, row.body);
}

/** Hands the list of what an embedded teacher planted to the coordinator. */
export async function sendPlanted(database: SharedDatabase, run: string, runFolder: string): Promise<void> {
  const path = plantedPath(runFolder);
  if (existsSync(path)) await sendFile(database, run, { runFolder, path });
}

/** Brings that list into the run's folder. */
export function fetchPlanted(database: SharedDatabase, run: string, runFolder: string): Promise<void> {
  return fetchFile(database, run, { runFolder, path: plantedPath(runFolder) });
}
