import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, unshare } from '../files/atomicFile.ts';
import { explainDiskError } from '../files/diskError.ts';
import { sealedLine } from './sealed.ts';

/** Unsynced bytes above which {@link Journal.ready} makes writers wait. */
const MAX_PENDING_BYTES = 8 * 1024 * 1024;

/**
 * An append-only JSONL file of sealed lines with group commit: all lines that arrive while one batch is being synced form the next
 * batch. A line is durable once its batch's fdatasync has returned. When a write fails, the file is cut back to its
 * last durable line, and from then on `ready`, `flush` and `close` throw the reason.
 */
export class Journal {
  readonly #path: string;
  readonly #handle: FileHandle;
  #durableBytes: number;
  #batch: string[] = [];
  #pendingBytes = 0;
  /** Batch that new lines join; undefined without one. */
  #scheduled: Promise<void> | undefined;
  #lastCommit: Promise<void> = Promise.resolve();
  #broken: unknown;

  private constructor(path: string, handle: FileHandle, bytes: number) {
    this.#path = path;
    this.#handle = handle;
    this.#durableBytes = bytes;
  }

  static async open(path: string, bytes: number): Promise<Journal> {
    try {
      await unshare(path);
      const handle = await open(path, 'a');
      await syncFolder(dirname(path));
      return new Journal(path, handle, bytes);
    } catch (error) {
      throw explainDiskError(error, path);
    }
  }

  /** Offset of the next line. */
  get end(): number {
    return this.#durableBytes + this.#pendingBytes;
  }

  append(value: object): number {
    const line = `${sealedLine(value)}\n`;
    const bytes = Buffer.byteLength(line);
    if (this.#broken !== undefined) return bytes - 1;
    this.#batch.push(line);
    this.#pendingBytes += bytes;
    this.#scheduled ??= this.#schedule();
    return bytes - 1;
  }

  /** Resolves when few enough bytes wait for the disk. */
  async ready(): Promise<void> {
    if (this.#pendingBytes > MAX_PENDING_BYTES) await this.#lastCommit;
    this.#throwIfBroken();
  }

  async flush(): Promise<void> {
    await this.#lastCommit;
    this.#throwIfBroken();
  }

  async close(): Promise<void> {
    await this.#lastCommit;
    await this.#handle.close();
    this.#throwIfBroken();
  }

  #throwIfBroken(): void {
    if (this.#broken !== undefined) throw this.#broken;
  }

  #schedule(): Promise<void> {
    const commit = this.#lastCommit.then(() => this.#commit());
    this.#lastCommit = commit;
    return commit;
  }

  async #commit(): Promise<void> {
    // One turn of the event loop lets outcomes that settle together share a sync.
    await new Promise(setImmediate);
    const bytes = Buffer.from(this.#batch.join(''));
    this.#batch = [];
    this.#scheduled = undefined;
    if (this.#broken !== undefined) return;
    try {
      await this.#writeAll(bytes);
      await this.#handle.datasync();
      this.#durableBytes += bytes.length;
      this.#pendingBytes -= bytes.length;
    } catch (error) {
      this.#broken = explainDiskError(error, this.#path);
      // If even this fails, the torn line is cut off at the next start.
      await this.#handle.truncate(this.#durableBytes).catch(() => {});
    }
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    for (let from = 0; from < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, from);
      from += bytesWritten;
    }
  }
}
