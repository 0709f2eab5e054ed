import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ManifestFile } from '../../schemas/manifest.ts';
import { onDisk } from './diskError.ts';
import { HashedFile } from './hashedFile.ts';

/** What a file of the dataset holds; null where it holds no rows. */
export type FileCounts = Pick<ManifestFile, 'rows' | 'tokens' | 'trained_tokens'>;

const noRows: FileCounts = { rows: null, tokens: null, trained_tokens: null };

/**
 * A folder that appears under its name only when it is complete. Until then its files lie in `<folder>.partial`;
 * a folder that is already there is set aside as `<folder>.old` for the moment of the exchange. Both names are
 * fixed, so that what a killed process left behind is found and put right by the next one.
 */
export class PartialFolder {
  readonly #folder: string;
  readonly #partial: string;
  readonly #old: string;
  readonly #open = new Map<string, HashedFile>();
  readonly #files: ManifestFile[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
    this.#partial = `${folder}.partial`;
    this.#old = `${folder}.old`;
  }

  /** Begins an empty folder. */
  static async create(folder: string): Promise<PartialFolder> {
    const partial = new PartialFolder(path.resolve(folder));
    await onDisk(partial.#partial, () => partial.#begin());
    return partial;
  }

  /** The finished files, by path. */
  get files(): readonly ManifestFile[] {
    return this.#files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Opens a new file; `name` is its path inside the folder, with forward slashes. */
  async openFile(name: string): Promise<HashedFile> {
    const target = path.join(this.#partial, name);
    await onDisk(target, () => mkdir(path.dirname(target), { recursive: true }));
    const file = await HashedFile.create(target);
    this.#open.set(name, file);
    return file;
  }

  /** Closes a file and enters it into the list of files. */
  async closeFile(name: string, counts: FileCounts): Promise<ManifestFile> {
    const entry = { path: name, ...(await this.#open.get(name)!.finish()), ...counts };
    this.#open.delete(name);
    this.#files.push(entry);
    return entry;
  }

  /** Writes a whole file that holds no rows. */
  async writeFile(name: string, text: string): Promise<void> {
    const file = await this.openFile(name);
    await file.write(text);
    await this.closeFile(name, noRows);
  }

  /** Puts the folder under its name, in place of one that is there. */
  async commit(): Promise<void> {
    await onDisk(this.#folder, async () => {
      await syncFolders(this.#partial, this.#files);
      if (await exists(this.#folder)) await rename(this.#folder, this.#old);
      await rename(this.#partial, this.#folder);
      await syncFolder(path.dirname(this.#folder));
      await rm(this.#old, { recursive: true, force: true });
    });
  }

  /** Removes everything that was written. */
  async discard(): Promise<void> {
    await Promise.all([...this.#open.values()].map((file) => file.abandon()));
    await rm(this.#partial, { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    await rm(this.#partial, { recursive: true, force: true });
    if ((await exists(this.#old)) && !(await exists(this.#folder))) await rename(this.#old, this.#folder);
    await rm(this.#old, { recursive: true, force: true });
    await mkdir(this.#partial, { recursive: true });
  }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** Makes the names inside a folder durable, in every folder that holds a file. */
async function syncFolders(root: string, files: readonly ManifestFile[]): Promise<void> {
  const folders = new Set([root, ...files.map((file) => path.dirname(path.join(root, file.path)))]);
  for (const folder of folders) await syncFolder(folder);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync();
  await handle.close();
}
