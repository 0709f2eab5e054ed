import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseStored } from '../../../base/parseStored.ts';
import { rowFilesAt } from '../../../base/rows/rowFilesAt.ts';
import { UserError } from '../../../base/userError.ts';
import type { DatasetFormatName } from '../../../schemas/config/datasetFormatNames.ts';
import { type Manifest, manifestSchema, type Split } from '../../../schemas/manifest.ts';
import type { DatasetFormat } from '../../dataset/datasetFormat.ts';
import { formatTable } from '../../dataset/formatTable.ts';

/** Files that together are one stock of rows, in order. */
export interface DatasetPart {
  /** As the user should see it. */
  readonly path: string;
  readonly files: readonly string[];
  /** The split of one of coa-distill's dataset folders; null for other people's files. */
  readonly split: Split | null;
  /** Whether each row holds two trajectories, as the manifest's format says. */
  readonly pairs: boolean;
}

/** What a path stands for. */
export interface DatasetParts {
  /** The dataset folder of coa-distill that the path is, or lies in. */
  readonly own: { readonly folder: string; readonly manifest: Manifest } | undefined;
  readonly parts: readonly DatasetPart[];
  /** The canonical records by split; empty for other people's files. */
  readonly trajectories: ReadonlyMap<Split, readonly string[]>;
  /** The canonical pairs by split; empty where there are none. */
  readonly pairs: ReadonlyMap<Split, readonly string[]>;
}

/** How many folders above a path its `manifest.json` may lie: `dataset/tokenized/train/x.arrow`. */
const foldersAbove = 3;

/**
 * Finds the rows at a path: a dataset folder of coa-distill, one of its formats, a folder of `save_to_disk`, any
 * other folder or file of rows.
 *
 * @throws UserError when there are none, or the manifest is broken
 */
export async function datasetParts(given: string): Promise<DatasetParts> {
  const folder = folderWithManifest(given);
  if (folder !== undefined) return ownParts(given, folder);
  const files = (await rowFilesAt(given, 'all')).map((file) => file.path);
  return { own: undefined, parts: foreignParts(files), trajectories: new Map(), pairs: new Map() };
}

function folderWithManifest(given: string): string | undefined {
  let folder = given;
  for (let above = 0; above <= foldersAbove; above++) {
    if (isDatasetManifest(path.join(folder, 'manifest.json'))) return folder;
    folder = path.join(folder, '..');
  }
  return undefined;
}

/** Others have files of that name too; a broken one of ours still names a key that only ours has. */
function isDatasetManifest(file: string): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  return text.includes('"coa_distill_version"') || text.includes('"segments_encoded"');
}

async function ownParts(given: string, folder: string): Promise<DatasetParts> {
  const manifest = await readManifest(path.join(folder, 'manifest.json'));
  // Tasks have no masks.
  const listed = manifest.files.filter(
    ({ path: file, split }) => split !== null && formatOf(file)?.records !== 'task',
  );
  const trajectories = new Map<Split, readonly string[]>();
  const pairs = new Map<Split, readonly string[]>();
  const parts: DatasetPart[] = [];
  const groups = Map.groupBy(listed, ({ path: file, split }) => `${groupOf(file)} ${split}`);
  for (const [key, [first, ...others]] of groups) {
    const { path: name, split } = first!;
    const files = [name, ...others.map((other) => other.path)].map((file) => path.join(folder, file));
    const present = files.filter((file) => existsSync(file));
    if (key.startsWith('. ')) trajectories.set(split!, present);
    else if (key.startsWith('pairs ')) pairs.set(split!, present);
    else if (isAsked(given, files) && present.length > 0) {
      const isPairs = formatOf(name)?.records === 'pair';
      parts.push({ path: partPath(files, manifest), files: present, split, pairs: isPairs });
    }
  }
  if (parts.length > 0) return { own: { folder, manifest }, parts, trajectories, pairs };
  const isCanonical = [...trajectories.values(), ...pairs.values()].some((files) => isAsked(given, files));
  throw new UserError(
    isCanonical
      ? `${given}: the trajectories are what the other formats are held against; name the dataset folder or one of those`
      : `${given}: none of the files that ${path.join(folder, 'manifest.json')} lists with rows is there; name the dataset folder or one of its formats`,
  );
}

/** The folder of a format; the canonical pairs lie beside the canonical trajectories. */
function groupOf(file: string): string {
  if (/^pairs[-.]/.test(file)) return 'pairs';
  return path.posix.dirname(file).replace(/\/(?:train|validation)$/, '');
}

/** The format whose folder a path begins with. */
function formatOf(place: string): DatasetFormat | undefined {
  return formatTable[/^\w+/.exec(place)?.[0] as DatasetFormatName];
}

/** A single file by its name, several by their folder. */
function partPath([first = '', ...others]: readonly string[], { splits }: Manifest): string {
  return others.length === 0 || splits.validation > 0 ? first : path.dirname(first);
}

function isAsked(given: string, files: readonly string[]): boolean {
  const asked = path.resolve(given);
  return files.some((file) => {
    const full = path.resolve(file);
    return full === asked || full.startsWith(`${asked}${path.sep}`);
  });
}

async function readManifest(file: string): Promise<Manifest> {
  try {
    return parseStored(manifestSchema, await readFile(file, 'utf8'));
  } catch (cause) {
    const why = `not a manifest of a dataset of this version (${(cause as Error).message})`;
    throw new UserError(`${file}: ${why}; export the dataset again`, { cause });
  }
}

/** Shards of one kind in one folder belong together; every other file stands for itself. */
function foreignParts(files: readonly string[]): DatasetPart[] {
  const groups = Map.groupBy(files, (file) => file.replace(/-\d{5,}-of-\d{5,}(?=(?:\.\w+)+$)/, ''));
  return [...groups.values()].map((group) => {
    const [first] = group as [string];
    return {
      path: group.length === 1 ? first : path.dirname(first),
      files: group,
      split: null,
      pairs: false,
    };
  });
}
