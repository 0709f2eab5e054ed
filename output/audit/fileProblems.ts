import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isRowFile } from '../../base/rows/rowFilesAt.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import type { Manifest, ManifestFile } from '../../schemas/manifest.ts';

/** Rows and tokens of one file, as counted. */
export interface FileCounts {
  rows: number;
  tokens: number;
  trained: number;
}

/** Compares the files of a dataset folder with its manifest, byte by byte, and looks for files of rows beside them. */
export async function* changedFiles(folder: string, manifest: Manifest): AsyncGenerator<AuditFinding> {
  for (const listed of manifest.files) {
    const file = path.join(folder, listed.path);
    const problem = await problemOf(file, listed);
    if (problem !== undefined) yield fileFinding('file_changed', file, problem);
  }
  const known = new Set(manifest.files.map((listed) => listed.path));
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).replaceAll(path.sep, '/');
    if (!(entry.isFile() || entry.isSymbolicLink()) || known.has(name) || !isRowFile(entry.name)) continue;
    yield fileFinding(
      'file_changed',
      file,
      'manifest.json does not list it, and a trainer may read it as rows',
    );
  }
}

async function problemOf(file: string, listed: ManifestFile): Promise<string | undefined> {
  if (!existsSync(file)) return 'manifest.json lists it, and it is not there';
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  const found = hash.digest('hex');
  if (found === listed.sha256) return undefined;
  return `its SHA-256 is ${found}, manifest.json says ${listed.sha256}`;
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
