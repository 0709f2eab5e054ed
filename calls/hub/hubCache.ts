import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { z } from 'zod';
import { parseStored } from '../../base/parseStored.ts';
import type { HubAddress } from './hubAddress.ts';
import type { HubFile } from './hubClient.ts';

/** Files of a repository that lie on this machine. */
export interface FetchedFiles {
  readonly commit: string;
  /** The snapshot's folder. */
  readonly folder: string;
  /** In the order of their paths. */
  readonly files: readonly FetchedFile[];
}

/** A file that lies on this machine, whole and verified. */
export interface FetchedFile extends HubFile {
  /** Absolute path. */
  readonly file: string;
  /** Bytes that came over the network now; 0 when it was there. */
  readonly fetchedBytes: number;
}

const COMMIT = /^[0-9a-f]{40}$/;

/** What of a repository earlier downloads left: all files of the address, or undefined. */
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

/** A file that is named, where another program brought it: nobody has noted then what else there is. */
async function fileItself(folder: string, { path }: HubAddress): Promise<HubFile | undefined> {
  const file = join(folder, path ?? '');
  const found = statSync(file, { throwIfNoEntry: false });
  if (path === undefined || !found?.isFile()) return undefined;
  return { path, bytes: found.size, hash: basename(await realpath(file)) };
}

const listingSchema = z.array(z.object({ path: z.string(), bytes: z.int().nonnegative(), hash: z.string() }));

/** Where is kept what a commit holds: without it nobody could tell offline whether a folder is here whole. */
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

/** Notes what a commit holds. */
export async function keepListing(
  repository: string,
  commit: string,
  files: readonly HubFile[],
): Promise<void> {
  const path = listingPath(repository, commit);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(files.toSorted(byPath)));
}

/** True when one file of one commit is asked for, and here: nothing can have changed. */
export function isPinned({ revision, path }: HubAddress, kept: FetchedFiles | undefined): boolean {
  return COMMIT.test(revision) && kept?.files.length === 1 && kept.files[0]!.path === path;
}

/** Whether an address names a file. */
export function isWanted({ path }: HubAddress, file: string): boolean {
  return path === undefined || file === path || file.startsWith(`${path}/`) || matchesGlob(file, path);
}

/** The order of files. */
export function byPath(a: HubFile, b: HubFile): number {
  return a.path < b.path ? -1 : 1;
}

/** Gives a blob its name in the snapshot of a commit. */
export async function linkInSnapshot(
  repository: string,
  commit: string,
  path: string,
  blob: string,
): Promise<string> {
  const file = join(repository, 'snapshots', commit, path);
  if (existsSync(file)) return file;
  await mkdir(dirname(file), { recursive: true });
  // A link whose blob is gone is in the way.
  await unlink(file).catch(() => {});
  await symlink(relative(dirname(file), blob), file);
  return file;
}

/** Notes the commit that a branch or tag stands for. */
export async function noteRevision(repository: string, revision: string, commit: string): Promise<void> {
  if (revision === commit) return;
  const file = join(repository, 'refs', revision);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, commit);
}
