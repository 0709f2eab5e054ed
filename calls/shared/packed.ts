import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** A value as it is kept in the database. */
export function pack(value: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(value).toWellFormed());
  // Told the size, zstd makes tables for it, instead of megabytes that it has to clear each time.
  return zstdCompressSync(json, { pledgedSrcSize: json.length });
}

/** What {@link pack} took. */
export function unpack(body: Buffer): unknown {
  return JSON.parse(unpackText(body));
}

/** The same as JSON, from wherever it comes. */
export function unpackText(body: Buffer): string {
  return zstdDecompressSync(body).toString('utf8');
}
