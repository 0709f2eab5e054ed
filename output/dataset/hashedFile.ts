import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { onDisk } from '../../base/files/diskError.ts';

/** Bytes that are held back before the system is asked to write: a call a row costs more than the row. */
const heldBytes = 256 * 1024;

/** A new file that is hashed while it is written. Short writes are held back and written together. */
export class HashedFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  readonly #held = Buffer.allocUnsafeSlow(heldBytes);
  #heldEnd = 0;
  #bytes = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** Bytes appended so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Creates the file; one that is already there is an error. */
  static async create(path: string): Promise<HashedFile> {
    return new HashedFile(path, await onDisk(path, () => open(path, 'wx')));
  }

  /** Appends bytes, or text as UTF-8. */
  async write(data: string | Uint8Array): Promise<void> {
    // UTF-8 takes three bytes for a UTF-16 unit at most.
    if (typeof data === 'string' && data.length * 3 <= heldBytes) {
      if (this.#heldEnd + data.length * 3 > heldBytes) await this.#flush();
      const bytes = this.#held.write(data, this.#heldEnd);
      this.#heldEnd += bytes;
      this.#bytes += bytes;
      return;
    }
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    await this.#flush();
    await this.#writeOut(bytes);
    this.#bytes += bytes.byteLength;
  }

  /** Makes the content durable and tells what was written. */
  async finish(): Promise<{ sha256: string; bytes: number }> {
    await this.#flush();
    await onDisk(this.#path, () => this.#handle.sync());
    await onDisk(this.#path, () => this.#handle.close());
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes };
  }

  /** Closes the file as it is; no matter whether it was closed before. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
  }

  async #flush(): Promise<void> {
    const bytes = this.#held.subarray(0, this.#heldEnd);
    this.#heldEnd = 0;
    if (bytes.length > 0) await this.#writeOut(bytes);
  }

  async #writeOut(bytes: Uint8Array): Promise<void> {
    await onDisk(this.#path, () => this.#handle.writeFile(bytes));
    this.#hash.update(bytes);
  }
}
