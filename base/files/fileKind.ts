/** First bytes by kind of file. */
const beginnings: readonly (readonly [kind: string, bytes: Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['Zstandard', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['ZIP', Buffer.from('PK\x03\x04', 'latin1')],
  ['bzip2', Buffer.from('BZh', 'latin1')],
  ['xz', Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])],
  ['parquet', Buffer.from('PAR1', 'latin1')],
  ['Arrow', Buffer.from('ARROW1', 'latin1')],
  // A stream, as written by `save_to_disk` of `datasets`.
  ['Arrow', Buffer.from([0xff, 0xff, 0xff, 0xff])],
  ['SQLite', Buffer.from('SQLite format 3\0', 'latin1')],
  ['UTF-16', Buffer.from([0xff, 0xfe])],
  ['UTF-16', Buffer.from([0xfe, 0xff])],
];

/**
 * Kind of a file by its first bytes, unless it is UTF-8 text: `gzip`, `parquet`, `UTF-16`, or `binary` for any other;
 * undefined for text.
 * @param start the first bytes, at best some hundred; a letter that is cut at their end is not a mistake
 */
export function fileKind(start: Uint8Array): string | undefined {
  const known = beginnings.find(([, bytes]) => bytes.equals(start.subarray(0, bytes.length)));
  if (known) return known[0];
  if (start.includes(0)) return isUtf16(start) ? 'UTF-16' : 'binary';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return undefined;
  } catch {
    return 'binary';
  }
}

/** Minimum bytes that show the pattern. */
const MIN_UTF16 = 8;

/** Detects UTF-16 without a byte order mark: every second byte of Latin text is zero. */
function isUtf16(bytes: Uint8Array): boolean {
  const zeros = [0, 0];
  for (const [at, byte] of bytes.entries()) if (byte === 0) zeros[at % 2]! += 1;
  const [fewer, more] = zeros.toSorted((one, other) => one - other) as [number, number];
  return fewer === 0 && bytes.length >= MIN_UTF16 && more > bytes.length / 4;
}
