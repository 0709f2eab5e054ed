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
    return context.body(new Uint8Array(takesPacked(context) ? content.packed : content.plain));
  };
}

/** Whether what answers may be packed, which its headers then say. Every browser takes it. */
function takesPacked(context: Context): boolean {
  context.header('Vary', 'Accept-Encoding');
  const isTaken = context.req.header('accept-encoding')?.includes('gzip') === true;
  if (isTaken) context.header('Content-Encoding', 'gzip');
  return isTaken;
}

/** What fits into one packet is not packed. */
const MIN_PACKED_BYTES = 1_400;
const pack = promisify(gzip);

/** Answers with JSON: over a forwarded port 50 kB of rows become 6. */
export async function jsonAnswer(context: Context, answer: object): Promise<Response> {
  const plain = Buffer.from(JSON.stringify(answer));
  context.header('Content-Type', 'application/json');
  const isPacked = plain.length >= MIN_PACKED_BYTES && takesPacked(context);
  return context.body(new Uint8Array(isPacked ? await pack(plain) : plain));
}
