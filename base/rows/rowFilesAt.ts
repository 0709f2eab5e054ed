import { existsSync, globSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { safeParseJson } from '../json.ts';
import { UserError } from '../userError.ts';
import { isRowFile, rowFileEndings } from './openRowFile.ts';

/** A file of rows, and how messages and records name it: by its path in what was asked for. */
export interface FoundRowFile {
  readonly path: string;
  /** With `/` on every machine; a file that was named itself without its folder. */
  readonly name: string;
}

/**
 * The files of rows that a path stands for, in order: the file itself, those of a folder at any depth (in a folder of
 * Hugging Face's `save_to_disk` those of its list), or those that a pattern such as `data/*.jsonl.gz` matches.
 *
 * @throws UserError when there are none, and for a folder of several splits, of which one must be chosen
 */
export async function rowFilesAt(place: string): Promise<FoundRowFile[]> {
  const isFolder = (await stat(place).catch(() => undefined))?.isDirectory();
  if (isFolder) return filesOfFolder(place);
  const matched = matchedFiles(place);
  if (!matched) return [{ path: place, name: path.basename(place) }];
  if (matched.length === 0) throw new UserError(`${place}: no file matches; check the pattern`);
  const base = fixedPart(place);
  return matched.map((file) => ({ path: file, name: slashed(path.relative(base, file)) }));
}

/** The files that a pattern matches, in order; undefined for what is no pattern, or the name of a file. */
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

async function filesOfFolder(folder: string): Promise<FoundRowFile[]> {
  const splits = await listed(folder, 'dataset_dict.json', dictSchema);
  if (splits) {
    const names = splits.splits.map((split) => path.join(folder, split));
    throw new UserError(`${folder}: it holds several splits; name one of them: ${names.join(', ')}`);
  }
  const state = await listed(folder, 'state.json', stateSchema);
  const names = state?._data_files.map(({ filename }) => filename) ?? (await rowFilesIn(folder));
  if (names.length === 0)
    throw new UserError(`${folder}: the folder holds no ${rowFileEndings} file; name a file of rows`);
  const top = path.basename(folder);
  return names.map((name) => ({ path: path.join(folder, name), name: slashed(path.join(top, name)) }));
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
export async function rowFilesIn(folder: string): Promise<string[]> {
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
