import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { testsFolder } from '../run/openTestStore.ts';
import { isStageDone, plantedPath, stagePaths } from '../run/stageFiles.ts';

/** Puts the files that stages of workers read into the database: tests, and the records of stages that are done. */
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
  const body = await fileBody(database, run, relative(runFolder, path));
  if (!body) return;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
}

/** Hands the list of what an embedded teacher planted to the coordinator. */
export async function sendPlanted(database: SharedDatabase, run: string, runFolder: string): Promise<void> {
  const path = plantedPath(runFolder);
  if (existsSync(path)) await sendFile(database, run, { runFolder, path });
}

/** What embedded models planted while they answered, of all workers. */
const NOTED = 'teacher/noted.jsonl';

/** The folder of a worker, which holds copies of a run's files. */
export interface FolderCopy {
  /** Brings the files up to date. */
  readonly refresh: () => Promise<void>;
  /** Adds a line to the run's list of what embedded models plant. */
  readonly notePlanted: (line: string) => Promise<void>;
}

/** A worker's folder, and the run in the database that its files are of. */
export function folderCopy(database: SharedDatabase, run: string, runFolder: string): FolderCopy {
  const add = `INSERT INTO file VALUES ($1, $2, $3) ON CONFLICT (run, path) DO UPDATE SET body = file.body || excluded.body`;
  return {
    refresh: () => fetchFiles(database, run, runFolder),
    notePlanted: async (line) => void (await database.query(add, [run, NOTED, Buffer.from(line)])),
  };
}

/** Brings that list, and those lines, into the run's folder. */
export async function fetchPlanted(database: SharedDatabase, run: string, runFolder: string): Promise<void> {
  const path = plantedPath(runFolder);
  await fetchFile(database, run, { runFolder, path });
  const noted = await fileBody(database, run, NOTED);
  if (noted) await appendFile(path, noted);
}

async function fileBody(database: SharedDatabase, run: string, path: string): Promise<Buffer | undefined> {
  const sql = 'SELECT body FROM file WHERE run = $1 AND path = $2';
  const [row] = await database.query<{ body: Buffer }>(sql, [run, path]);
  return row?.body;
}
