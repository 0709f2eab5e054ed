import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from './once.ts';

/** Version of the running coa-distill. */
export function packageVersion(): string {
  return ownPackage().version;
}

/** Folder of the running package. */
export function packageFolder(): string {
  return ownPackage().folder;
}

/** The package's own `package.json`: one folder up in a checkout, two up from `dist/`. */
const candidates = ['../package.json', '../../package.json'];

const ownPackage = once(() => {
  for (const candidate of candidates) {
    const path = fileURLToPath(new URL(candidate, import.meta.url));
    if (!existsSync(path)) continue;
    const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as { name?: string; version?: string };
    if (name === 'coa-distill' && version !== undefined) return { folder: dirname(path), version };
  }
  throw new Error('package.json of coa-distill is missing');
});
