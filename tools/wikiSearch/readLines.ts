import { createReadStream } from 'node:fs';

/** A line of a file, without its line feed. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Buffer;
}

const LINE_FEED = 0x0a;

/**
 * The lines of a file, one after another, blank ones left out. Splits at LF bytes only: `readline` also splits at
 * U+2028, which JSON strings may hold as it is.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      number += 1;
      const bytes = Buffer.concat([...rest, chunk.subarray(start, end)]);
      if (!isBlank(bytes)) yield { number, bytes };
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  const bytes = Buffer.concat(rest);
  if (!isBlank(bytes)) yield { number: number + 1, bytes };
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}
