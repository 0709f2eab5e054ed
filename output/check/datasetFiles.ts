import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { parseStored } from '../../base/parseStored.ts';
import type { FileRow } from '../../base/rows/fileRow.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { isRowFile, rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { plainFileSize } from '../../base/rows/rowFormat.ts';
import { UserError } from '../../base/userError.ts';
import type { DatasetFormatName } from '../../schemas/config/datasetFormatNames.ts';
import { type Manifest, type ManifestFile, manifestSchema, type Split } from '../../schemas/manifest.ts';
import { type MixedRow, mixedRowSchema } from '../../schemas/mixedRow.ts';
import { parseTrajectoryRow } from '../../schemas/trainers/trajectoryRow.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { formatTable } from '../dataset/formatTable.ts';
import { placeless } from './rowFindings.ts';
import type { Finding, RuleName } from './rules.ts';

/** Files that together hold one list of rows, in order. */
export interface DatasetPart {
  /** As the user should see it. */
  readonly path: string;
  readonly files: readonly string[];
  /** The split of one of coa-distill's dataset folders; null for other people's files. */
  readonly split: Split | null;
  /** Whether each row of a dataset of coa-distill holds two trajectories. */
  readonly pairs: boolean;
  /** Whether these are the canonical records themselves, which have no mask. */
  readonly isCanonical: boolean;
}

/** The rows at a path. */
export interface DatasetParts {
  /** The dataset folder of coa-distill that the path is, or lies in. */
  readonly own: { readonly folder: string; readonly manifest: Manifest } | undefined;
  readonly parts: readonly DatasetPart[];
  /** The files of canonical records by split; empty for other people's files. */
  readonly trajectories: ReadonlyMap<Split, readonly string[]>;
  readonly pairs: ReadonlyMap<Split, readonly string[]>;
  readonly mixed: ReadonlyMap<Split, readonly string[]>;
}

/** Folders above a path where its `manifest.json` is looked for: `dataset/tokenized/train/x.arrow`. */
const FOLDERS_ABOVE = 3;

/**
 * Finds the rows at a path: a dataset folder of coa-distill, one of its formats, a folder of `save_to_disk`, any
 * other folder or file of rows.
 *
 * @throws UserError when there are none, or the manifest is broken
 */
export async function datasetParts(given: string): Promise<DatasetParts> {
  let folder = given;
  for (let above = 0; above <= FOLDERS_ABOVE; above++) {
    if (isDatasetManifest(path.join(folder, 'manifest.json'))) return ownParts(given, folder);
    folder = path.join(folder, '..');
  }
  const files = (await rowFilesAt(given, 'all')).map((file) => file.path);
  // Shards of one kind in one folder belong together; every other file stands for itself.
  const groups = Map.groupBy(files, (file) => file.replace(/-\d{5,}-of-\d{5,}(?=(?:\.\w+)+$)/, ''));
  const parts = [...groups.values()].map((group) => {
    const [first] = group as [string];
    const shown = group.length === 1 ? first : path.dirname(first);
    return { path: shown, files: group, split: null, pairs: false, isCanonical: false };
  });
  return { own: undefined, parts, trajectories: new Map(), pairs: new Map(), mixed: new Map() };
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
  const found = {
    trajectories: new Map<Split, string[]>(),
    pairs: new Map<Split, string[]>(),
    mixed: new Map<Split, string[]>(),
  };
  const groups = [...Map.groupBy(listed, ({ path: file, split }) => `${groupOf(file)} ${split}`)];
  const parts = groups.flatMap(([key, group]): DatasetPart[] => {
    const { path: name, split } = group[0]!;
    const files = group.map((each) => path.join(folder, each.path));
    const present = files.filter((file) => existsSync(file));
    const kind = canonicalKinds[key.split(' ')[0]!];
    if (kind) found[kind].set(split!, present);
    if (present.length === 0 || !isAsked(given, files)) return [];
    const pairs = kind === 'pairs' || formatOf(name)?.records === 'pair';
    return [
      { path: partPath(files, manifest), files: present, split, pairs, isCanonical: kind !== undefined },
    ];
  });
  if (parts.length === 0)
    throw new UserError(
      `${given}: none of the files that ${path.join(folder, 'manifest.json')} lists with rows exists; name the dataset folder or one of its formats`,
    );
  // The other formats are held against the canonical records.
  const others = parts.filter(({ isCanonical }) => !isCanonical);
  return { own: { folder, manifest }, parts: others.length > 0 ? others : parts, ...found };
}

/** The canonical records by the group of their files. */
const canonicalKinds: Readonly<Record<string, 'trajectories' | 'pairs' | 'mixed'>> = {
  '.': 'trajectories',
  pairs: 'pairs',
  mixed: 'mixed',
};

/** The folder of a format; canonical pairs and mixed rows lie beside the canonical trajectories. */
function groupOf(file: string): string {
  const kind = /^(pairs|mixed)[-.]/.exec(file)?.[1];
  if (kind !== undefined) return kind;
  return path.posix.dirname(file).replace(/\/(?:train|validation)$/, '');
}

/** The format whose folder a path begins with. */
function formatOf(place: string) {
  return formatTable[/^\w+/.exec(place)?.[0] as DatasetFormatName] as
    | { readonly records: string }
    | undefined;
}

/** A single file by its name, several by their folder. */
function partPath([first = '', ...others]: readonly string[], { splits }: Manifest): string {
  return others.length === 0 || splits.validation > 0 ? first : path.dirname(first);
}

function isAsked(given: string, files: readonly string[]): boolean {
  const asked = path.resolve(given);
  return files
    .map((file) => path.resolve(file))
    .some((file) => file === asked || file.startsWith(`${asked}${path.sep}`));
}

async function readManifest(file: string): Promise<Manifest> {
  try {
    return parseStored(manifestSchema, await readFile(file, 'utf8'));
  } catch (cause) {
    const why = `not a manifest of a dataset of this version (${(cause as Error).message})`;
    throw new UserError(`${file}: ${why}; export the dataset again`, { cause });
  }
}

/** A row, and its file as the user should see it. */
export type SourceRow = FileRow & { readonly file: string };

/** Reads the rows of a file in order, a few in memory at a time. */
export type RowReader = (file: string) => AsyncIterable<SourceRow>;

/**
 * Rows of a dataset file.
 *
 * @throws UserError when the file is missing, cut off or of another kind
 */
export async function* readRows(file: string): AsyncGenerator<SourceRow> {
  // A split may have no rows, and a shard may have lost them: their number is checked elsewhere.
  if ((await plainFileSize(file)) === 0) return;
  const { rows } = await openRowFile(file);
  for await (const row of rows()) yield { file, ...row };
}

/**
 * The canonical records of a split, in order; of pairs the chosen one before the rejected one.
 *
 * @throws UserError for a line that is none: nothing can be held against it
 */
export async function* readTrajectories(
  files: readonly string[],
  read: RowReader,
): AsyncGenerator<Trajectory> {
  for (const file of files) {
    for await (const { row, ...content } of read(file)) {
      if ('problem' in content)
        throw new UserError(`${file} row ${row}: ${content.problem}; export the dataset again`);
      const { value } = content;
      const isPair = typeof value === 'object' && value !== null && 'chosen' in value && 'rejected' in value;
      for (const record of isPair ? [value.chosen, value.rejected] : [value]) yield parsed(file, row, record);
    }
  }
}

/** The mixed rows of a split, in order. Throws `UserError` for a line that is none. */
export async function* readMixed(files: readonly string[], read: RowReader): AsyncGenerator<MixedRow> {
  for (const file of files) {
    for await (const { row, ...content } of read(file)) {
      const parsed = 'problem' in content ? undefined : mixedRowSchema.safeParse(content.value);
      if (!parsed?.success) throw new UserError(`${file} row ${row}: no mixed row; export the dataset again`);
      yield parsed.data;
    }
  }
}

function parsed(file: string, row: number, value: unknown): Trajectory {
  try {
    return parseTrajectoryRow(value);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n').slice(0, 8).join(' ') : String(cause);
    throw new UserError(`${file} row ${row}: no trajectory (${why}); export the dataset again`, { cause });
  }
}

/** A finding about a file as a whole. */
export function fileFinding(rule: RuleName, file: string, message: string): Finding {
  return { ...placeless(rule, message), file, row: null, file_line: null };
}

/**
 * Compares the files of a dataset folder with its manifest, byte by byte, and looks for others beside them.
 *
 * @param others which of these are reported: those that a trainer may read as rows, or all
 */
export async function* changedFiles(
  folder: string,
  manifest: Manifest,
  others: 'rows' | 'all' = 'rows',
): AsyncGenerator<Finding> {
  for (const listed of manifest.files) {
    const file = path.join(folder, listed.path);
    const problem = await changeOf(file, listed);
    if (problem !== undefined) yield fileFinding('file_changed', file, problem);
  }
  const known = new Set(['manifest.json', ...manifest.files.map((listed) => listed.path)]);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).replaceAll(path.sep, '/');
    if (!(entry.isFile() || entry.isSymbolicLink()) || known.has(name)) continue;
    const danger = isRowFile(entry.name) ? ', and a trainer may read it as rows' : '';
    if (danger || others === 'all')
      yield fileFinding('file_changed', file, `manifest.json does not list it${danger}`);
  }
}

async function changeOf(file: string, listed: ManifestFile): Promise<string | undefined> {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return 'manifest.json lists it, and it does not exist';
  // Reading a pipe would wait for its writer.
  if (!found.isFile()) return 'it is not a plain file';
  const sha256 = await sha256OfFile(file);
  return sha256 === listed.sha256
    ? undefined
    : `its SHA-256 is ${sha256}, manifest.json says ${listed.sha256}`;
}

/** Throws `UserError` for the first difference between a dataset folder and its manifest. */
export async function verifyDataset(folder: string, manifest: Manifest): Promise<void> {
  for await (const { file, message } of changedFiles(folder, manifest, 'all'))
    throw new UserError(
      `${file}: ${message}; put the folder back as it was, or make the dataset again with coa-distill run and --from export`,
    );
}
