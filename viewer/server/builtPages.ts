import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UserError } from '../../base/userError.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'viewer/pages');
/** The package carries the pages built, in the place of their sources. */
const isPackaged = existsSync(join(sources, 'files.json'));
/** Of pages that were built from other sources, whoever has them open may ask for more. */
const KEPT_BUILDS = 3;

/**
 * The folder of the built pages. The package brings them; in a clone they are built here, in a second or two, where
 * that has not been done since they were last changed.
 *
 * @throws UserError where they have to be built and can't be
 */
export async function builtPages(): Promise<string> {
  if (isPackaged) return sources;
  const cache = join(root, 'node_modules/.cache/viewer-pages');
  const built = join(cache, fingerprint());
  if (!existsSync(built)) await build(cache, built);
  return built;
}

/** Of the pages' sources, and of what else goes into them. */
function fingerprint(): string {
  const hash = createHash('sha256');
  for (const name of globSync(
    [
      'viewer/pages/**/*.*',
      'viewer/review/*.tsx',
      'base/*.ts',
      'base/statistics/*.ts',
      'evaluation/records/*.ts',
      'schemas/run/spending.ts',
      'viewer/index/fields.ts',
    ],
    {
      cwd: root,
    },
  ).sort()) {
    const { size, mtimeMs } = statSync(join(root, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function build(cache: string, built: string): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  if (!existsSync(vite))
    throw new UserError('the pages of the viewer are not built and vite is not installed; run: npm ci');
  // Several commands may begin at once: each builds for itself, and the first one's pages stay.
  const outDir = `${built}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  // In a process of its own: it takes 130 MB, which would stay with the viewer.
  await promisify(execFile)(process.execPath, [vite, 'build', sources, '--outDir', outDir, '--emptyOutDir']);
  try {
    renameSync(outDir, built);
  } catch (error) {
    rmSync(outDir, { recursive: true, force: true });
    if (!existsSync(built)) throw error;
  }
  const age = (name: string) => statSync(join(cache, name)).mtimeMs;
  const builds = readdirSync(cache).filter((name) => /^[0-9a-f]{16}$/.test(name));
  for (const old of builds.sort((a, b) => age(b) - age(a)).slice(KEPT_BUILDS))
    rmSync(join(cache, old), { recursive: true, force: true });
}
