import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { parseStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import { type HubAddress, hubAddressText } from './hubAddress.ts';
import { HubClient, type HubFile, type HubSettings } from './hubClient.ts';

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

/** What {@link fetchHubFiles} works with. */
export interface FetchOptions {
  readonly settings: HubSettings;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Told often: how many bytes of all files are here. */
  readonly onProgress?: (bytes: number, totalBytes: number, path: string) => void;
}

const COMMIT = /^[0-9a-f]{40}$/;
/** Broken connections in a row, without a byte between them, that end a download. */
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 500;

/**
 * Brings files of a repository into the cache that Hugging Face's own libraries use (`blobs/`, `snapshots/`, `refs/`). A
 * download that was cut off is resumed where it stopped; each file's checksum is verified before it gets its name.
 *
 * @throws UserError when the address matches no file, the hub does not give it, or the bytes are not those it promised
 */
export async function fetchHubFiles(address: HubAddress, options: FetchOptions): Promise<FetchedFiles> {
  const repository = join(
    options.settings.cacheFolder,
    `${address.type}s--${address.name.replace('/', '--')}`,
  );
  const kept = await keptFiles(repository, address);
  if (options.settings.isOffline || isPinned(address, kept)) return orRefuse(kept, address);
  const client = new HubClient(options.settings, options.signal);
  const commit = await client.commitOf(address);
  const listed = await client.files(address, commit);
  const wanted = matching(listed, address, commit);
  await mkdir(join(repository, 'blobs'), { recursive: true });
  const unlock = await lockFolder(join(repository, 'blobs'));
  try {
    const files = await fetchAll(client, { address, commit, wanted, repository }, options);
    await keepListing(repository, commit, listed);
    await noteRevision(repository, address.revision, commit);
    return { commit, folder: join(repository, 'snapshots', commit), files };
  } finally {
    await unlock();
  }
}

/** What is fetched, and where it goes. */
interface Work {
  readonly address: HubAddress;
  readonly commit: string;
  readonly wanted: readonly HubFile[];
  readonly repository: string;
}

async function fetchAll(client: HubClient, work: Work, options: FetchOptions): Promise<FetchedFile[]> {
  const { address, commit, wanted, repository } = work;
  const totalBytes = wanted.reduce((sum, { bytes }) => sum + bytes, 0);
  const files: FetchedFile[] = [];
  let before = 0;
  for (const file of wanted) {
    const start = before;
    const onBytes = (bytes: number) => options.onProgress?.(start + bytes, totalBytes, file.path);
    const blob = join(repository, 'blobs', file.hash);
    const isHere = statSync(blob, { throwIfNoEntry: false })?.size === file.bytes;
    const fetchedBytes = isHere
      ? 0
      : await client.explained(address, () => download(client, work, file, blob, { ...options, onBytes }));
    files.push({ ...file, fetchedBytes, file: await linkInSnapshot(repository, commit, file.path, blob) });
    before += file.bytes;
    onBytes(file.bytes);
  }
  return files;
}

interface DownloadOptions extends FetchOptions {
  readonly onBytes: (bytes: number) => void;
}

/** @returns how many bytes came */
async function download(
  client: HubClient,
  { address, commit }: Work,
  file: HubFile,
  blob: string,
  { clock, signal, onBytes }: DownloadOptions,
): Promise<number> {
  const partial = `${blob}.incomplete`;
  let [tries, came] = [0, 0];
  let digest = await hashOf(partial, file);
  while (digest.bytes < file.bytes || !existsSync(partial)) {
    const before = digest.bytes;
    try {
      await append(await contentFrom(client, address, commit, file, before), partial, digest, {
        signal,
        onBytes,
        most: file.bytes,
      });
    } catch (error) {
      signal.throwIfAborted();
      tries = digest.bytes > before ? 1 : tries + 1;
      came += digest.bytes - before;
      if (tries >= MAX_TRIES) throw error;
      await clock.sleep(FIRST_WAIT_MS * 2 ** tries, signal);
      digest = await hashOf(partial, file);
      continue;
    }
    came += digest.bytes - before;
    if (digest.bytes < file.bytes && digest.bytes === before && ++tries >= MAX_TRIES)
      throw new UserError(`${file.path}: the hub ends it after ${before} of ${file.bytes} bytes`);
  }
  if (digest.hash.digest('hex') !== file.hash) {
    await rm(partial, { force: true });
    throw new UserError(
      `${hubAddressText({ ...address, path: file.path }, commit)}: the bytes that came are not those of the file (checksum ${file.hash}); they were removed, run again`,
    );
  }
  await rename(partial, blob);
  return came;
}

async function contentFrom(
  client: HubClient,
  address: HubAddress,
  commit: string,
  file: HubFile,
  offset: number,
) {
  // A range of nothing can't be asked for.
  if (file.bytes === 0) return new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  return client.content(address, commit, file.path, offset);
}

/** A digest of what is on disk, which grows with it. */
interface Digest {
  readonly hash: Hash;
  bytes: number;
}

/** Of the bytes that an earlier download left; Git hashes a header of its own before them. */
async function hashOf(partial: string, { bytes, hash }: HubFile): Promise<Digest> {
  const digest: Digest = { hash: createHash(hash.length === 64 ? 'sha256' : 'sha1'), bytes: 0 };
  if (hash.length === 40) digest.hash.update(`blob ${bytes}\0`);
  if ((statSync(partial, { throwIfNoEntry: false })?.size ?? 0) > bytes) await rm(partial);
  if (!existsSync(partial)) return digest;
  for await (const chunk of createReadStream(partial)) {
    digest.hash.update(chunk as Buffer);
    digest.bytes += (chunk as Buffer).length;
  }
  return digest;
}

interface AppendOptions {
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
  /** More than this is not the file. */
  readonly most: number;
}

async function append(
  content: ReadableStream<Uint8Array>,
  partial: string,
  digest: Digest,
  { signal, onBytes, most }: AppendOptions,
): Promise<void> {
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      if (digest.bytes + chunk.length > most) throw new Error('more bytes came than the file has');
      yield chunk;
      digest.hash.update(chunk);
      digest.bytes += chunk.length;
      onBytes(digest.bytes);
    }
  };
  await pipeline(content, counted, createWriteStream(partial, { flags: 'a', flush: true }), { signal });
}

/** What of a repository earlier downloads left: all files of the address, or undefined. */
async function keptFiles(repository: string, address: HubAddress): Promise<FetchedFiles | undefined> {
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

async function keepListing(repository: string, commit: string, files: readonly HubFile[]): Promise<void> {
  const path = listingPath(repository, commit);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(files.toSorted(byPath)));
}

/** True when one file of one commit is asked for, and here: nothing can have changed. */
function isPinned({ revision, path }: HubAddress, kept: FetchedFiles | undefined): boolean {
  return COMMIT.test(revision) && kept?.files.length === 1 && kept.files[0]!.path === path;
}

function orRefuse(kept: FetchedFiles | undefined, address: HubAddress): FetchedFiles {
  if (kept) return kept;
  throw new UserError(
    `${hubAddressText(address, address.revision)}: HF_HUB_OFFLINE is set and the cache does not have all of it; fetch it while online`,
  );
}

function isWanted({ path }: HubAddress, file: string): boolean {
  return path === undefined || file === path || file.startsWith(`${path}/`) || matchesGlob(file, path);
}

function byPath(a: HubFile, b: HubFile): number {
  return a.path < b.path ? -1 : 1;
}

/** The files of an address, in the order of their paths. */
function matching(files: readonly HubFile[], address: HubAddress, commit: string): HubFile[] {
  const sorted = files.toSorted(byPath);
  const wanted = sorted.filter((file) => isWanted(address, file.path));
  if (wanted.length > 0) return wanted;
  const some = sorted.slice(0, 8).map((file) => file.path);
  const more = sorted.length > some.length ? ` and ${sorted.length - some.length} more` : '';
  throw new UserError(
    `${hubAddressText(address, commit)}: no file of the repository matches; it has ${some.join(', ')}${more}`,
  );
}

async function linkInSnapshot(
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

async function noteRevision(repository: string, revision: string, commit: string): Promise<void> {
  if (revision === commit) return;
  const file = join(repository, 'refs', revision);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, commit);
}
