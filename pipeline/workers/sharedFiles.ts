import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { StageName } from '../../contract/stageTable.ts';
import { testsFolder } from '../run/openTestStore.ts';
import { isStageDone, stagePaths } from '../run/stageFiles.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';

/** Uploads the files that workers' stages read: tests, and the records of finished stages. */
export async function sendFiles(
  database: SharedDatabase,
  run: string,
  { runFolder, stages }: { readonly runFolder: string; readonly stages: readonly StageName[] },
): Promise<void> {
  const tests = testsFolder(runFolder);
  const names = existsSync(tests) ? await readdir(tests) : [];
  const paths = names.map((name) => join(tests, name));
  for (const stage of stages) {
    const { records, stageFile } = stagePaths(runFolder, stage);
    if (await isStageDone(runFolder, stage)) paths.push(records, stageFile);
  }
  for (const path of paths) await sendFile(database, run, { runFolder, path });
}

async function sendFile(
  database: SharedDatabase,
  run: string,
  { runFolder, path }: { readonly runFolder: string; readonly path: string },
): Promise<void> {
  const sql = `INSERT INTO file VALUES ($1, $2, $3) ON CONFLICT (run, path) DO UPDATE SET body = excluded.body`;
  await database.query(sql, [run, relative(runFolder, path), await readFile(path)]);
}

/** Downloads the files of a run into a folder one by one. */
export async function fetchFiles(database: SharedDatabase, run: string, runFolder: string): Promise<void> {
  const paths = await database.query<{ path: string }>('SELECT path FROM file WHERE run = $1', [run]);
  for (const { path } of paths) {
    const sql = 'SELECT body FROM file WHERE run = $1 AND path = $2';
    const [row] = await database.query<{ body: Buffer }>(sql, [run, path]);
    if (!row) continue;
    const file = join(runFolder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, row.body);
  }
}
