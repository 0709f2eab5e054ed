import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's own `package.json`: one folder up in a checkout, two up from `dist/`. */
const candidates = ['../package.json', '../../package.json'];

let known: { readonly folder: string; readonly version: string } | undefined;

/** The version of coa-distill that is running. */
export function packageVersion(): string {
  known ??= readPackage();
  return known.version;
}

/** The folder of the package that is running. */
export function packageFolder(): string {
  known ??= readPackage();
  return known.folder;
}

function readPackage(): NonNullable<typeof known> {
  for (const candidate of candidates) {
    const path = fileURLToPath(new URL(candidate, import.meta.url));
    if (!existsSync(path)) continue;
    const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
    if (name === 'coa-distill' && version !== undefined) return { folder: dirname(path), version };
  }
  throw new Error('package.json of coa-distill is missing');
}
