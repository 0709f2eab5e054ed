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

/** Files that together hold one list of rows in order. */
export interface DatasetPart {
  readonly path: string;
  readonly files: readonly string[];
  /** Split of a coa-distill dataset; null for other files. */
  readonly split: Split | null;
  /** True if each row of a coa-distill dataset holds two trajectories. */
  readonly pairs: boolean;
  readonly isCanonical: boolean;
}

export interface DatasetParts {
  /** Dataset folder of coa-distill that is, or contains, the path. */
  readonly own: { readonly folder: string; readonly manifest: Manifest } | undefined;
  readonly parts: readonly DatasetPart[];
  /** Files of canonical records by split; empty for other files. */
  readonly trajectories: ReadonlyMap<Split, readonly string[]>;
  readonly pairs: ReadonlyMap<Split, readonly string[]>;
  readonly mixed: ReadonlyMap<Split, readonly string[]>;
}

/** Levels above a path searched for `manifest.json`: `dataset/tokenized/train/x.arrow`. */
const FOLDERS_ABOVE = 3;

/**
 * Finds the rows at a path: a coa-distill dataset, one of its formats, a `save_to_disk` folder, or any other folder or
 * file of rows.
 *
 * @throws UserError if there are no rows, or the manifest is broken
 */
export async function datasetParts(given: string): Promise<DatasetParts> {
  let folder = given;
  for (let above = 0; above <= FOLDERS_ABOVE; above++) {
    if (isDatasetManifest(path.join(folder, 'manifest.json'))) return ownParts(given, folder);
    folder = path.join(folder, '..');
  }
  const files = (await rowFilesAt(given, 'all')).map((file) => file.path);
  // Shards of one kind in one folder belong together; every other file is a part of its own.
  const groups = Map.groupBy(files, (file) => file.replace(/-\d{5,}-of-\d{5,}(?=(?:\.\w+)+$)/, ''));
  const parts = [...groups.values()].map((group) => {
    const [first] = group as [string];
    const shown = group.length === 1 ? first : path.dirname(first);
    return { path: shown, files: group, split: null, pairs: false, isCanonical: false };
  });
  return { own: undefined, parts, trajectories: new Map(), pairs: new Map(), mixed: new Map() };
}

/** Recognises even a broken manifest by a key that only coa-distill uses, since other tools have files of that name. */
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
  // Other formats are compared with the canonical records.
  const others = parts.filter(({ isCanonical }) => !isCanonical);
  return { own: { folder, manifest }, parts: others.length > 0 ? others : parts, ...found };
}

const canonicalKinds: Readonly<Record<string, 'trajectories' | 'pairs' | 'mixed'>> = {
  '.': 'trajectories',
  pairs: 'pairs',
  mixed: 'mixed',
};

function groupOf(file: string): string {
  const kind = /^(pairs|mixed)[-.]/.exec(file)?.[1];
  if (kind !== undefined) return kind;
  return path.posix.dirname(file).replace(/\/(?:train|validation)$/, '');
}

function formatOf(place: string) {
  return formatTable[/^\w+/.exec(place)?.[0] as DatasetFormatName] as
    | { readonly records: string }
    | undefined;
}

/** Name of a single file, or folder of several. */
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

export type SourceRow = FileRow & { readonly file: string };

/** Streams the rows of a file in order. */
export type RowReader = (file: string) => AsyncIterable<SourceRow>;

/**
 * Streams the rows of a dataset file.
 *
 * @throws UserError if the file is missing, truncated or of another kind
 */
export async function* readRows(file: string): AsyncGenerator<SourceRow> {
  // Empty files are valid: a split may have no rows. Lost rows are detected elsewhere by their number.
  if ((await plainFileSize(file)) === 0) return;
  const { rows } = await openRowFile(file);
  for await (const row of rows()) yield { file, ...row };
}

/**
 * Canonical records of a split in order; for pairs, chosen before rejected.
 *
 * @throws UserError for an invalid line, since rows could not be compared with it
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

/** Mixed rows of a split in order. Throws `UserError` for an invalid line. */
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

export function fileFinding(rule: RuleName, file: string, message: string): Finding {
  return { ...placeless(rule, message), file, row: null, file_line: null };
}

/**
 * Compares the files of a dataset folder with its manifest byte by byte, and reports additional files.
 *
 * @param others additional files to report: those that a trainer may read as rows, or all
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
  // Reading a pipe would block until its writer sends data.
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
