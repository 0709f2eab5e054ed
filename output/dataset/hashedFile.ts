import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { onDisk } from './diskError.ts';

/** A new file that is hashed while it is written. */
export class HashedFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Creates the file; one that is already there is an error. */
  static async create(path: string): Promise<HashedFile> {
    return new HashedFile(path, await onDisk(path, () => open(path, 'wx')));
  }

  /** Appends bytes, or text as UTF-8. */
  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    await onDisk(this.#path, () => this.#handle.writeFile(bytes));
    this.#hash.update(bytes);
    this.#bytes += bytes.byteLength;
  }

  /** Makes the content durable and tells what was written. */
  async finish(): Promise<{ sha256: string; bytes: number }> {
    await onDisk(this.#path, () => this.#handle.sync());
    await this.#handle.close();
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes };
  }

  /** Closes the file as it is; no matter whether it was closed before. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }
}
