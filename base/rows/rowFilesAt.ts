import { existsSync, globSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { safeParseJson } from '../json.ts';
import { UserError } from '../userError.ts';
import { hasRowEnding, plainFileSize, rowFileEndings } from './rowFormat.ts';

/** A row file with its name for messages and records: its path relative to the request. */
export interface FoundRowFile {
  readonly path: string;
  /** Separated by `/` on every platform; a file named directly has no folder part. */
  readonly name: string;
  /** False for a file found in a folder, which may also hold other files. */
  readonly isNamed: boolean;
  /** Bytes on disk. */
  readonly size: number;
}

/** Handling of a folder with several splits; a task file or benchmark is only one. */
type OnSplits = 'refuse' | 'all';

/**
 * Row files of a path, in order: the file itself, those of a folder at any depth (for Hugging Face's `save_to_disk`,
 * those in its list), or the matches of a pattern such as `data/*.jsonl.gz`.
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

/** Other files in dataset folders, ours and those of Hugging Face's `datasets`. */
const notRows: readonly string[] = [
  'manifest.json',
  'dataset_info.json',
  'dataset_infos.json',
  'dataset_dict.json',
  'state.json',
];
const cacheFile = /^cache-[0-9a-f]+\.arrow$/;

/** True if a file of a dataset's folder holds rows, judged by its name without the folder. */
export function isRowFile(name: string): boolean {
  return hasRowEnding(name) && !notRows.includes(name) && !cacheFile.test(name);
}

/** Matches of a pattern, in order; undefined for other texts and for existing files. */
export function matchedFiles(place: string): string[] | undefined {
  if (!/[*?[\]{}]/.test(place) || existsSync(place)) return undefined;
  const entries = globSync(place, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** Folder that contains a pattern's matches. */
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

/** State file of `save_to_disk`, and its list of splits. */
const stateSchema = z.object({ _data_files: z.array(z.object({ filename: z.string().min(1) })) });
const dictSchema = z.object({ splits: z.array(z.string().min(1)).min(2) });

async function listed<T>(folder: string, name: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path.join(folder, name), 'utf8').catch(() => undefined);
  const parsed = text === undefined ? undefined : safeParseJson(text);
  return parsed?.ok ? schema.safeParse(parsed.value).data : undefined;
}

/**
 * Row files in a folder at any depth, by relative path in order, without hidden files and caches of Hugging Face's
 * `datasets`.
 */
async function rowFilesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return (
    entries
      // Hugging Face's cache consists of links.
      .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && isRowFile(entry.name))
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .filter((name) => !name.split(path.sep).some((part) => part.startsWith('.')))
      .sort()
  );
}

function slashed(name: string): string {
  return name.split(path.sep).join('/');
}
