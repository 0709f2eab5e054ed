import { createReadStream } from 'node:fs';

const lineFeed = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The lines of a text file without their ends (LF or CRLF) and without a byte order mark, one in memory at a time;
 * undefined for a line that is not UTF-8. Not `readline`: it also ends lines at U+2028, which may stand in JSON.
 */
export async function* linesOf(file: string): AsyncGenerator<string | undefined> {
  let first = true;
  for await (const bytes of byteLines(file)) {
    const text = decode(bytes)?.replace(/\r$/, '');
    yield first ? text?.replace(/^\uFEFF/, '') : text;
    first = false;
  }
}

async function* byteLines(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, end)]);
      rest = [];
      from = end + 1;
    }
    rest.push(chunk.subarray(from));
  }
  yield Buffer.concat(rest);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
