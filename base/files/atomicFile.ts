import type { Hash } from 'node:crypto';
import { copyFile, type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { onDisk } from './diskError.ts';
import { keepAtExit, removeAtExit, temporaryName } from './temporaryName.ts';

/** Bytes buffered before a write. */
const HELD_BYTES = 256 * 1024;

/**
 * A file under a temporary name until it is complete and durable: readers see the previous file or all of the new
 * one. Removed if the process ends before {@link AtomicFile.commit}.
 */
export class AtomicFile {
  readonly path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  readonly #hash: Hash | undefined;
  #held: Uint8Array[] = [];
  #heldLength = 0;
  #bytes = 0;
  #isOpen = true;

  private constructor(path: string, temporary: string, handle: FileHandle, hash: Hash | undefined) {
    this.path = path;
    this.#temporary = temporary;
    this.#handle = handle;
    this.#hash = hash;
  }

  /**
   * @param mode permissions of the file; default: those that new files have
   * @param hash told all that is written
   * @throws UserError when the disk or its permissions don't allow it
   */
  static async create(path: string, mode?: number, hash?: Hash): Promise<AtomicFile> {
    const temporary = await temporaryName(path);
    const handle = await onDisk(path, () => open(temporary, 'wx', mode));
    removeAtExit(temporary);
    return new AtomicFile(path, temporary, handle, hash);
  }

  /** Bytes appended so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Appends bytes, or text as UTF-8. Bytes may be buffered and must not change afterwards. */
  async write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    this.#held.push(bytes);
    this.#heldLength += bytes.length;
    this.#bytes += bytes.length;
    if (this.#heldLength >= HELD_BYTES) await this.#flush();
  }

  /** Makes the content durable; the file's name is not visible yet. Idempotent. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    await this.#flush();
    await onDisk(this.path, () => this.#handle.sync());
    await this.#handle.close();
    this.#isOpen = false;
  }

  /** Renames the file into place, closing it first if necessary. */
  async commit(): Promise<void> {
    await this.close();
    await moveIntoPlace(this.#temporary, this.path);
    keepAtExit(this.#temporary);
  }

  async discard(): Promise<void> {
    if (this.#isOpen) await this.#handle.close().catch(() => undefined);
    this.#isOpen = false;
    await rm(this.#temporary, { force: true });
    keepAtExit(this.#temporary);
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held, this.#heldLength);
    this.#held = [];
    this.#heldLength = 0;
    if (bytes.length === 0) return;
    await onDisk(this.path, () => this.#handle.writeFile(bytes));
    this.#hash?.update(bytes);
  }
}

/** Replaces a whole file atomically: readers see the old content or the new. */
export async function replaceFile(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const file = await AtomicFile.create(path, mode);
  try {
    await file.write(content);
    await file.commit();
  } finally {
    await file.discard();
  }
}

/**
 * Replaces a file by one written by other code, such as a database.
 * @param build given the name to write under until the file is whole
 */
export async function buildFile<T>(path: string, build: (temporary: string) => Promise<T>): Promise<T> {
  const temporary = await temporaryName(path);
  removeAtExit(temporary);
  try {
    const built = await build(temporary);
    await onDisk(path, () => syncFile(temporary));
    await moveIntoPlace(temporary, path);
    return built;
  } finally {
    await rm(temporary, { force: true });
    keepAtExit(temporary);
  }
}

/** Renames a durable file or folder into place, durably. */
export async function moveIntoPlace(temporary: string, path: string): Promise<void> {
  await onDisk(path, () => rename(temporary, path));
  await syncFolder(dirname(path));
}

/** Makes the names in a folder durable. Some file systems cannot sync a folder; the rename has to suffice there. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch {
    // EINVAL or EPERM from file systems without folder sync.
  } finally {
    await handle.close();
  }
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a hard link by a copy before the file is written to or truncated. Missing files and files with one link
 * are unchanged.
 */
export async function unshare(path: string): Promise<void> {
  const links = await stat(path).then(
    ({ nlink }) => nlink,
    () => 0,
  );
  if (links > 1) await buildFile(path, (temporary) => copyFile(path, temporary));
}
