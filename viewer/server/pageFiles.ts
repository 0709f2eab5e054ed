import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Context } from 'hono';

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The pages' files by their names, read once: no address leads to any other file. */
export function pageFiles(folder: string) {
  const names = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as string[];
  const files = new Map(
    names.map((name) => {
      const plain = readFileSync(join(folder, name));
      return [`/${name}`, { plain, packed: gzipSync(plain) }];
    }),
  );
  return (context: Context): Response => {
    const { path } = context.req;
    const file = files.get(path);
    if (!file && path.startsWith('/assets/')) return context.text('there is nothing here', 404);
    const content = file ?? files.get('/index.html')!;
    const isNamedByContent = file !== undefined && path.startsWith('/assets/');
    context.header('Cache-Control', isNamedByContent ? 'private, max-age=31536000, immutable' : 'no-store');
    context.header('Content-Type', mediaTypes[file ? extname(path) : '.html'] ?? 'application/octet-stream');
    // Every browser takes it: over a forwarded port a page of 180 kB becomes one of 60.
    const isPacked = context.req.header('accept-encoding')?.includes('gzip') === true;
    if (isPacked) context.header('Content-Encoding', 'gzip');
    context.header('Vary', 'Accept-Encoding');
    return context.body(new Uint8Array(isPacked ? content.packed : content.plain));
  };
}
