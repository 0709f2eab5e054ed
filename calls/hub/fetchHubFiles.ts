import { createHash } from 'node:crypto';
import { createWriteStream, statSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { UserError } from '../../base/userError.ts';
import { type HubAddress, hubAddressText } from './hubAddress.ts';
import {
  byPath,
  type FetchedFile,
  type FetchedFiles,
  isPinned,
  isWanted,
  keepListing,
  keptFiles,
  linkInSnapshot,
  noteRevision,
} from './hubCache.ts';
import { HubClient, type HubFile, type HubSettings } from './hubClient.ts';

/** Maximum total bytes of an address. */
const MAX_BYTES = 200e9;

export interface FetchOptions {
  readonly settings: HubSettings;
  readonly signal: AbortSignal;
  /** Called often with the bytes fetched of all files. */
  readonly onProgress?: (bytes: number, totalBytes: number, path: string) => void;
}

/**
 * Downloads files of a repository into the cache of Hugging Face's own libraries (`blobs/`, `snapshots/`, `refs/`).
 * Each file's checksum is verified before it gets its name; cached files are not downloaded again.
 * @throws UserError when the address matches no file or more than {@link MAX_BYTES}, the hub does not give it, or the
 * bytes are not those it promised
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

/** Files to fetch and their destination. */
interface Work {
  readonly address: HubAddress;
  readonly commit: string;
  readonly wanted: readonly HubFile[];
  readonly repository: string;
}

async function fetchAll(client: HubClient, work: Work, options: FetchOptions): Promise<FetchedFile[]> {
  const { address, commit, wanted, repository } = work;
  const totalBytes = wanted.reduce((sum, { bytes }) => sum + bytes, 0);
  if (totalBytes > MAX_BYTES) {
    throw new UserError(
      `${hubAddressText(address, commit)}: its files have ${totalBytes} bytes, more than ${MAX_BYTES}; name some of them`,
    );
  }
  const files: FetchedFile[] = [];
  let before = 0;
  for (const file of wanted) {
    const start = before;
    const onBytes = (bytes: number) => options.onProgress?.(start + bytes, totalBytes, file.path);
    const blob = join(repository, 'blobs', file.hash);
    const isHere = statSync(blob, { throwIfNoEntry: false })?.size === file.bytes;
    const fetchedBytes = isHere
      ? 0
      : await client.explained(address, () =>
          download(client, { address, commit, file, blob }, { ...options, onBytes }),
        );
    files.push({ ...file, fetchedBytes, file: await linkInSnapshot(repository, commit, file.path, blob) });
    before += file.bytes;
    onBytes(file.bytes);
  }
  return files;
}

/** A file of the hub, and its path once its checksum is verified. */
interface Download {
  readonly address: HubAddress;
  readonly commit: string;
  readonly file: HubFile;
  readonly blob: string;
}

/**
 * Downloads a file and verifies it.
 *
 * @returns its length
 */
async function download(
  client: HubClient,
  { address, commit, file, blob }: Download,
  { signal, onBytes }: { readonly signal: AbortSignal; readonly onBytes: (bytes: number) => void },
): Promise<number> {
  const partial = `${blob}.incomplete`;
  // Git hashes a header before the content.
  const hash = createHash(file.hash.length === 64 ? 'sha256' : 'sha1');
  if (file.hash.length === 40) hash.update(`blob ${file.bytes}\0`);
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > file.bytes) break;
      hash.update(chunk);
      onBytes(bytes);
      yield chunk;
    }
  };
  const content = await client.content(address, commit, file);
  await pipeline(content, counted, createWriteStream(partial, { flush: true }), { signal });
  if (hash.digest('hex') !== file.hash) {
    await rm(partial, { force: true });
    throw new UserError(
      `${hubAddressText({ ...address, path: file.path }, commit)}: the bytes that came are not those of the file (checksum ${file.hash}); they were removed, run again`,
    );
  }
  await rename(partial, blob);
  return bytes;
}

function orRefuse(kept: FetchedFiles | undefined, address: HubAddress): FetchedFiles {
  if (kept) return kept;
  throw new UserError(
    `${hubAddressText(address, address.revision)}: HF_HUB_OFFLINE is set and the cache does not have all of it; fetch it while online`,
  );
}

/** Files of an address in path order. */
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
