import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { Context } from 'hono';
import { UserError } from '../../base/userError.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Serves the built files from memory; no other files are reachable. */
export function pageFiles(folder: string) {
  const names = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[];
  const files = new Map(
    names.map((name) => {
      const plain = readFileSync(join(folder, name));
      return [`/${name}`, { plain, compressed: gzipSync(plain) }];
    }),
  );
  return (context: Context): Response => {
    const { path } = context.req;
    const file = files.get(path);
    if (!file && path.startsWith('/assets/')) return context.text('not found', 404);
    const content = file ?? files.get('/index.html')!;
    const isNamedByContent = file !== undefined && path.startsWith('/assets/');
    context.header('Cache-Control', isNamedByContent ? 'private, max-age=31536000, immutable' : 'no-store');
    context.header('Content-Type', mediaTypes[file ? extname(path) : '.html'] ?? 'application/octet-stream');
    return context.body(new Uint8Array(takesCompressed(context) ? content.compressed : content.plain));
  };
}

/** Sets the headers of a compressed answer if the client accepts gzip. */
function takesCompressed(context: Context): boolean {
  context.header('Vary', 'Accept-Encoding');
  const isTaken = context.req.header('accept-encoding')?.includes('gzip') === true;
  if (isTaken) context.header('Content-Encoding', 'gzip');
  return isTaken;
}

/** Smaller answers fit into one network packet. */
const MIN_COMPRESSED_BYTES = 1_400;
const compress = promisify(gzip);

/** Sends compressed JSON: 50 kB of rows become 6 over a forwarded port. */
export async function jsonAnswer(context: Context, answer: object): Promise<Response> {
  const plain = Buffer.from(JSON.stringify(answer));
  context.header('Content-Type', 'application/json');
  const isCompressed = plain.length >= MIN_COMPRESSED_BYTES && takesCompressed(context);
  return context.body(new Uint8Array(isCompressed ? await compress(plain) : plain));
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'viewer/pages');
/** The package holds built pages in place of the sources. */
const isPackaged = existsSync(join(sources, 'files.json'));
/** Builds kept, since open pages of an older one may load more files. */
const KEPT_BUILDS = 3;

/**
 * Folder of the built pages. The package contains them; a clone builds them after changes, in a second or two.
 *
 * @throws UserError if building fails
 */
export async function builtPages(): Promise<string> {
  if (isPackaged) return sources;
  const cache = join(root, 'node_modules/.cache/viewer-pages');
  const built = join(cache, fingerprint());
  if (!existsSync(built)) await build(cache, built);
  return built;
}

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
  // Concurrent commands build separately, and the first result is kept.
  const outDir = `${built}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  // Built in a child process, since its 130 MB would stay allocated.
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
