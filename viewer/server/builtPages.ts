import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { UserError } from '../../base/userError.ts';

const sources = fileURLToPath(new URL('../pages', import.meta.url));
const nodeModules = fileURLToPath(new URL('../../node_modules', import.meta.url));
/** The package carries the pages built, in the place of their sources. */
const isPackaged = existsSync(join(sources, 'files.json'));

/**
 * The folder of the built pages. The package brings them; in a clone they are built here, in a second or two, where
 * that has not been done since they were last changed.
 *
 * @throws UserError where they have to be built and can't be
 */
export async function builtPages(): Promise<string> {
  if (isPackaged) return sources;
  const built = join(nodeModules, '.cache/viewer-pages');
  if (!isUpToDate(built)) await build(built);
  return built;
}

function isUpToDate(built: string): boolean {
  const list = join(built, 'files.json');
  if (!existsSync(list)) return false;
  const builtAt = statSync(list).mtimeMs;
  const files = globSync('**/*', { cwd: sources }).map((name) => statSync(join(sources, name)).mtimeMs);
  const names = JSON.parse(readFileSync(list, 'utf8')) as string[];
  return (
    files.every((changedAt) => changedAt < builtAt) && names.every((name) => existsSync(join(built, name)))
  );
}

async function build(target: string): Promise<void> {
  // Two viewers may be started at once: each builds for itself, and the later one's pages stay.
  const outDir = `${target}.${process.pid}`;
  const vite = join(nodeModules, 'vite/bin/vite.js');
  if (!existsSync(vite))
    throw new UserError('the pages of the viewer are not built and vite is not installed; run: npm ci');
  // In a process of its own: it takes 130 MB, which would stay with the viewer.
  await promisify(execFile)(process.execPath, [vite, 'build', sources, '--outDir', outDir, '--emptyOutDir']);
  rmSync(target, { recursive: true, force: true });
  renameSync(outDir, target);
}
