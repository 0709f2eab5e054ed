import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { z } from 'zod';
import { parseStored } from '../../base/parseStored.ts';
import type { HubAddress } from './hubAddress.ts';
import type { HubFile } from './hubClient.ts';

/** Local files of a repository. */
export interface FetchedFiles {
  readonly commit: string;
  /** Folder of the snapshot. */
  readonly folder: string;
  /** In path order. */
  readonly files: readonly FetchedFile[];
}

/** A local file, complete and verified. */
export interface FetchedFile extends HubFile {
  readonly file: string;
  /** Bytes downloaded now; 0 if cached. */
  readonly fetchedBytes: number;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** Files of an address left by earlier downloads: all of them, or undefined. */
export async function keptFiles(repository: string, address: HubAddress): Promise<FetchedFiles | undefined> {
  const { revision } = address;
  const noted = await readFile(join(repository, 'refs', revision), 'utf8').catch(() => undefined);
  const commit = COMMIT.test(revision) ? revision : noted?.trim();
  if (commit === undefined) return undefined;
  const folder = join(repository, 'snapshots', commit);
  const listed = (await readListing(repository, commit)) ?? [await fileItself(folder, address)];
  const wanted = listed.filter((file) => file !== undefined).filter(({ path }) => isWanted(address, path));
  const files = wanted.map((file) => ({ ...file, file: join(folder, file.path), fetchedBytes: 0 }));
  const isHere = ({ file, bytes }: FetchedFile) => statSync(file, { throwIfNoEntry: false })?.size === bytes;
  return files.length > 0 && files.every(isHere) ? { commit, folder, files } : undefined;
}

/** A named file stored by another program, which did not record the listing. */
async function fileItself(folder: string, { path }: HubAddress): Promise<HubFile | undefined> {
  const file = join(folder, path ?? '');
  const found = statSync(file, { throwIfNoEntry: false });
  if (path === undefined || !found?.isFile()) return undefined;
  return { path, bytes: found.size, hash: basename(await realpath(file)) };
}

const listingSchema = z.array(z.object({ path: z.string(), bytes: z.int().nonnegative(), hash: z.string() }));

/** Path of a commit's stored listing: without it, completeness could not be checked offline. */
function listingPath(repository: string, commit: string): string {
  return join(repository, 'coa-distill', `${commit}.json`);
}

async function readListing(repository: string, commit: string): Promise<HubFile[] | undefined> {
  try {
    return parseStored(listingSchema, await readFile(listingPath(repository, commit), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Stores the listing of a commit. */
export async function keepListing(
  repository: string,
  commit: string,
  files: readonly HubFile[],
): Promise<void> {
  const path = listingPath(repository, commit);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(files.toSorted(byPath)));
}

/** True if a single file of a fixed commit is requested and cached: it cannot have changed. */
export function isPinned({ revision, path }: HubAddress, kept: FetchedFiles | undefined): boolean {
  return COMMIT.test(revision) && kept?.files.length === 1 && kept.files[0]!.path === path;
}

/** True if an address includes a file. */
export function isWanted({ path }: HubAddress, file: string): boolean {
  return path === undefined || file === path || file.startsWith(`${path}/`) || matchesGlob(file, path);
}

export function byPath(a: HubFile, b: HubFile): number {
  return a.path < b.path ? -1 : 1;
}

/** Links a blob under its name in a commit's snapshot. */
export async function linkInSnapshot(
  repository: string,
  commit: string,
  path: string,
  blob: string,
): Promise<string> {
  const file = join(repository, 'snapshots', commit, path);
  if (existsSync(file)) return file;
  await mkdir(dirname(file), { recursive: true });
  // A link to a missing blob is in the way.
  await unlink(file).catch(() => {});
  await symlink(relative(dirname(file), blob), file);
  return file;
}

/** Stores the commit of a branch or tag. */
export async function noteRevision(repository: string, revision: string, commit: string): Promise<void> {
  if (revision === commit) return;
  const file = join(repository, 'refs', revision);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, commit);
}
