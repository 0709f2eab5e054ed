import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { AtomicFile, syncFolder } from '../../base/files/atomicFile.ts';
import { onDisk } from '../../base/files/diskError.ts';
import type { ManifestFile, Split } from '../../schemas/manifest.ts';
import type { RowCounts } from './datasetCounts.ts';
import type { RowsFile } from './datasetFormat.ts';

const noRows = { split: null, rows: null, tokens: null, trained_tokens: null };

/**
 * Folder that appears under its name only when complete. Files are written to `<folder>.partial`; an existing folder is
 * moved to `<folder>.old` during the swap. The fixed names let the next process recover from a crash.
 */
export class PartialFolder {
  readonly #folder: string;
  readonly #partial: string;
  readonly #open = new Map<string, { readonly file: AtomicFile; readonly hash: Hash }>();
  readonly #files = new Map<string, ManifestFile>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#partial = `${folder}.partial`;
  }

  static async create(given: string): Promise<PartialFolder> {
    const folder = path.resolve(given);
    const partial = new PartialFolder(folder);
    await onDisk(partial.#partial, async () => {
      await remove(partial.#partial);
      await restoreSetAside(folder);
      await remove(setAside(folder));
      await mkdir(partial.#partial, { recursive: true });
    });
    return partial;
  }

  get files(): readonly ManifestFile[] {
    return [...this.#files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async openFile(name: string): Promise<AtomicFile> {
    const target = path.join(this.#partial, name);
    await onDisk(target, () => mkdir(path.dirname(target), { recursive: true }));
    const hash = createHash('sha256');
    const file = await AtomicFile.create(target, undefined, hash);
    this.#open.set(name, { file, hash });
    return file;
  }

  /** Closes a row file and adds it to the list of files. */
  async closeRowsFile(
    name: string,
    { rows, tokens, trained_tokens }: RowCounts,
    split: Split,
  ): Promise<RowsFile> {
    const file = { ...(await this.#close(name)), split, rows, tokens, trained_tokens };
    this.#files.set(name, file);
    return file;
  }

  async renameFile(from: string, to: string): Promise<void> {
    const target = path.join(this.#partial, to);
    await onDisk(target, async () => {
      await mkdir(path.dirname(target), { recursive: true });
      await rename(path.join(this.#partial, from), target);
    });
    this.#files.set(to, { ...this.#files.get(from)!, path: to });
    this.#files.delete(from);
  }

  async writeFile(name: string, text: string): Promise<void> {
    const file = await this.openFile(name);
    await file.write(text);
    this.#files.set(name, { ...(await this.#close(name)), ...noRows });
  }

  writeLines(name: string, lines: readonly object[]): Promise<void> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    return this.writeFile(name, text.toWellFormed());
  }

  /** Moves the folder to its final name, replacing an existing one. */
  async commit(): Promise<void> {
    await onDisk(this.#folder, async () => {
      await syncFolders(this.#partial, this.files);
      if (existsSync(this.#folder)) await rename(this.#folder, setAside(this.#folder));
      await rename(this.#partial, this.#folder);
      await syncFolder(path.dirname(this.#folder));
      await remove(setAside(this.#folder));
    });
  }

  async discard(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ file }) => file.discard()));
    await remove(this.#partial);
  }

  async #close(name: string): Promise<Pick<ManifestFile, 'path' | 'sha256' | 'bytes'>> {
    const { file, hash } = this.#open.get(name)!;
    await file.commit();
    this.#open.delete(name);
    return { path: name, sha256: hash.digest('hex'), bytes: file.bytes };
  }
}

/** Path of the folder during the swap. */
function setAside(folder: string): string {
  return `${folder}.old`;
}

/** Restores a folder after a process was killed during the swap; no effect if none exists. */
export async function restoreSetAside(folder: string): Promise<void> {
  if (existsSync(setAside(folder)) && !existsSync(folder)) await rename(setAside(folder), folder);
}

function remove(target: string): Promise<void> {
  return rm(target, { recursive: true, force: true });
}

/** Syncs all folders that contain files, so that the file names survive a crash. */
async function syncFolders(root: string, files: readonly ManifestFile[]): Promise<void> {
  const folders = new Set([root, ...files.map((file) => path.dirname(path.join(root, file.path)))]);
  for (const folder of folders) await syncFolder(folder);
}
