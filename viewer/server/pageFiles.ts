import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
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
      return [`/${name}`, { plain, compressed: gzipSync(plain) }];
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
    return context.body(new Uint8Array(takesCompressed(context) ? content.compressed : content.plain));
  };
}

/** Whether what answers may be compressed, which its headers then say. Every browser takes it. */
function takesCompressed(context: Context): boolean {
  context.header('Vary', 'Accept-Encoding');
  const isTaken = context.req.header('accept-encoding')?.includes('gzip') === true;
  if (isTaken) context.header('Content-Encoding', 'gzip');
  return isTaken;
}

/** What fits into one network packet is sent as it is. */
const MIN_COMPRESSED_BYTES = 1_400;
const compress = promisify(gzip);

/** Answers with JSON: over a forwarded port 50 kB of rows become 6. */
export async function jsonAnswer(context: Context, answer: object): Promise<Response> {
  const plain = Buffer.from(JSON.stringify(answer));
  context.header('Content-Type', 'application/json');
  const isCompressed = plain.length >= MIN_COMPRESSED_BYTES && takesCompressed(context);
  return context.body(new Uint8Array(isCompressed ? await compress(plain) : plain));
}
