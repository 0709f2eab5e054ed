import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { openPlain } from './plainFile.ts';

/**
 * SHA-256 of a file in hexadecimal, read in pieces.
 * @param within folder that must hold the file itself. Default: links are followed
 * @throws UserError for what is not a plain file; otherwise what reading throws
 */
export async function sha256OfFile(path: string, within?: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline((await openPlain(path, { within })).createReadStream(), hash);
  return hash.digest('hex');
}
