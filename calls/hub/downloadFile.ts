import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/userError.ts';
import { type HubAddress, hubAddressText } from './hubAddress.ts';
import type { HubClient, HubFile } from './hubClient.ts';

/** Broken connections in a row, without a byte between them, that end a download. */
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 500;

/** A file of the hub, and where its bytes go. */
export interface Download {
  readonly client: HubClient;
  readonly address: HubAddress;
  readonly commit: string;
  readonly file: HubFile;
  /** Path that the file gets once its checksum is right. */
  readonly blob: string;
}

/** How a file is downloaded. */
export interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Told how many bytes of the file are here. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * Downloads a file, from where an earlier download was cut off, and verifies it.
 *
 * @returns how many bytes came
 * @throws UserError when they are not those of the file; what the connection throws when it breaks too often
 */
export async function downloadFile(
  { client, address, commit, file, blob }: Download,
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
