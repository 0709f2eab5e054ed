import { existsSync, globSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { safeParseJson } from '../json.ts';
import { UserError } from '../userError.ts';
import { hasRowEnding, plainFileSize, rowFileEndings } from './rowFormat.ts';

/** A file of rows, and how messages and records name it: by its path in what was asked for. */
export interface FoundRowFile {
  readonly path: string;
  /** With `/` on every machine; a file that was named itself without its folder. */
  readonly name: string;
  /** False for a file that was found in a folder, where other things lie as well. */
  readonly isNamed: boolean;
  /** Bytes on disk. */
  readonly size: number;
}

/** What is done about a folder of several splits, of which a task file or benchmark is one. */
type OnSplits = 'refuse' | 'all';

/**
 * The files of rows that a path stands for, in order: the file itself, those of a folder at any depth (in a folder of
 * Hugging Face's `save_to_disk` those of its list), or those that a pattern such as `data/*.jsonl.gz` matches.
 *
 * @throws UserError when there are none, for what is not a plain file, and for a folder of several splits
 */
export async function rowFilesAt(place: string, onSplits: OnSplits = 'refuse'): Promise<FoundRowFile[]> {
  const isFolder = (await stat(place).catch(() => undefined))?.isDirectory();
  const found = isFolder ? await filesOfFolder(place, onSplits) : namedFiles(place);
  return Promise.all(found.map(async (file) => ({ ...file, size: await plainFileSize(file.path) })));
}

function namedFiles(place: string): Omit<FoundRowFile, 'size'>[] {
  const matched = matchedFiles(place);
  if (!matched) return [{ path: place, name: path.basename(place), isNamed: true }];
  if (matched.length === 0) throw new UserError(`${place}: no file matches; check the pattern`);
  const base = fixedPart(place);
  return matched.map((file) => ({ path: file, name: slashed(path.relative(base, file)), isNamed: true }));
}

/** What stands beside rows in the folders of datasets, ours and those of Hugging Face's `datasets`. */
const notRows: readonly string[] = [
  'manifest.json',
  'dataset_info.json',
  'dataset_infos.json',
  'dataset_dict.json',
  'state.json',
];
const cacheFile = /^cache-[0-9a-f]+\.arrow$/;

/** Whether a file of a dataset's folder holds rows, by its name without the folder. */
export function isRowFile(name: string): boolean {
  return hasRowEnding(name) && !notRows.includes(name) && !cacheFile.test(name);
}

/** The files that a pattern matches, in order; undefined for what is not a pattern, or the name of a file. */
export function matchedFiles(place: string): string[] | undefined {
  if (!/[*?[\]{}]/.test(place) || existsSync(place)) return undefined;
  const entries = globSync(place, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** The folder that a pattern's matches lie in. */
function fixedPart(pattern: string): string {
  const parts = pattern.split(path.sep);
  const first = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  return parts.slice(0, first).join(path.sep);
}

async function filesOfFolder(folder: string, onSplits: OnSplits): Promise<Omit<FoundRowFile, 'size'>[]> {
  const splits = onSplits === 'all' ? undefined : await listed(folder, 'dataset_dict.json', dictSchema);
  if (splits) {
    const names = splits.splits.map((split) => path.join(folder, split));
    throw new UserError(`${folder}: it holds several splits; name one of them: ${names.join(', ')}`);
  }
  const state = await listed(folder, 'state.json', stateSchema);
  const names = state?._data_files.map(({ filename }) => filename) ?? (await rowFilesIn(folder));
  if (names.length === 0)
    throw new UserError(`${folder}: the folder holds no file of rows (${rowFileEndings}); name one`);
  const top = path.basename(folder);
  return names.map((name) => ({
    path: path.join(folder, name),
    name: slashed(path.join(top, name)),
    isNamed: false,
  }));
}

/** What `save_to_disk` writes of a dataset, and of several splits of one. */
const stateSchema = z.object({ _data_files: z.array(z.object({ filename: z.string().min(1) })) });
const dictSchema = z.object({ splits: z.array(z.string().min(1)).min(2) });

async function listed<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : safeParseJson(text);
  return parsed?.ok ? schema.safeParse(parsed.value).data : undefined;
}

/**
 * The files of rows in a folder at any depth, by their paths in it in order; hidden ones are left out, and the caches
 * that Hugging Face's `datasets` leaves beside rows.
 */
async function rowFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return (
    entries
      // Hugging Face's cache is made of links.
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && isRowFile(entry.name))
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .filter((name) => !name.split(path.sep).some((part) => part.startsWith('.')))
      .sort()
  );
}

function slashed(name: string): string {
  return name.split(path.sep).join('/');
}
