import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TaskFile } from './taskFiles.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Folder of task files that AFM released. They are not part of the repository; only project `released` reads them. */
const folder = resolve(repository, process.env.COA_RELEASED_DATA ?? '../shared/data');

/** Path of a released file. */
export function releasedPath(name: string): string {
  return join(folder, name);
}

/** The released files. */
export const releasedFiles: readonly TaskFile[] = [
  { path: releasedPath('aime24.parquet'), preset: 'afm_math', profile: 'math', rows: 30 },
  { path: releasedPath('math500.parquet'), preset: 'afm_math', profile: 'math', rows: 500 },
  { path: releasedPath('livecodebench_v4.parquet'), preset: 'afm_livecodebench', profile: 'code', rows: 100 },
  { path: releasedPath('nq_500.jsonl'), preset: 'nq', profile: 'mhqa', rows: 500 },
];

/** Whether all released files exist on this machine. */
export function hasReleasedData(): boolean {
  return releasedFiles.every(({ path }) => existsSync(path));
}
