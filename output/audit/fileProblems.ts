import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { isRowFile } from '../../base/rows/rowFilesAt.ts';
import { UserError } from '../../base/userError.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import type { Manifest, ManifestFile } from '../../schemas/manifest.ts';

/** Rows and tokens of one file, as counted. */
export interface FileCounts {
  rows: number;
  tokens: number;
  trained: number;
}

/**
 * Compares the files of a dataset folder with its manifest, byte by byte, and looks for others beside them.
 *
 * @param others which of these are told: those that a trainer may read as rows, or all
 */
export async function* changedFiles(
  folder: string,
  manifest: Manifest,
  others: 'rows' | 'all' = 'rows',
): AsyncGenerator<AuditFinding> {
  for (const listed of manifest.files) {
    const file = path.join(folder, listed.path);
    const problem = await problemOf(file, listed);
    if (problem !== undefined) yield fileFinding('file_changed', file, problem);
  }
  const known = new Set(['manifest.json', ...manifest.files.map((listed) => listed.path)]);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).replaceAll(path.sep, '/');
    if (!(entry.isFile() || entry.isSymbolicLink()) || known.has(name)) continue;
    const isRows = isRowFile(entry.name);
    const danger = isRows ? ', and a trainer may read it as rows' : '';
    if (isRows || others === 'all')
      yield fileFinding('file_changed', file, `manifest.json does not list it${danger}`);
  }
}

/** Throws `UserError` for the first difference between a dataset folder and its manifest. */
export async function verifyDataset(folder: string, manifest: Manifest): Promise<void> {
  for await (const { file, message } of changedFiles(folder, manifest, 'all'))
    throw new UserError(
      `${file}: ${message}; put the folder back as it was, or make the dataset again with coa-distill run and --from export`,
    );
}

async function problemOf(file: string, listed: ManifestFile): Promise<string | undefined> {
  if (!existsSync(file)) return 'manifest.json lists it, and it is not there';
  const found = await sha256OfFile(file);
  return found === listed.sha256 ? undefined : `its SHA-256 is ${found}, manifest.json says ${listed.sha256}`;
}

/** Compares counted rows and tokens with what the manifest says of a file. */
export function wrongCounts(
  file: string,
  listed: ManifestFile,
  counted: FileCounts,
  withTokens: boolean,
): AuditFinding[] {
  const pairs: [name: string, found: number, said: number | null][] = [['rows', counted.rows, listed.rows]];
  if (withTokens) {
    pairs.push(
      ['tokens', counted.tokens, listed.tokens],
      ['trained tokens', counted.trained, listed.trained_tokens],
    );
  }
  return pairs.flatMap(([name, found, said]) =>
    said === null || said === found
      ? []
      : [fileFinding('wrong_counts', file, `it has ${found} ${name}, manifest.json says ${said}`)],
  );
}

/** A finding that concerns a file as a whole. */
export function fileFinding(kind: AuditFinding['kind'], file: string, message: string): AuditFinding {
  return { kind, file, row: null, token: null, tokens: 0, message, context: null };
}
