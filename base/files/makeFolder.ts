import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { onDisk, systemErrorCode } from './diskError.ts';

/**
 * Creates a folder and its parents.
 * @returns the outermost folder that was made, undefined when all were there
 * @throws UserError when the disk or its permissions don't allow it
 */
export function makeFolder(path: string): Promise<string | undefined> {
  return onDisk(path, async () => {
    try {
      return await mkdir(path, { recursive: true });
    } catch (error) {
      // On a read-only file system Node's recursive mkdir reports ENOENT; a plain one reports the real error.
      if (systemErrorCode(error) === 'ENOENT') await mkdir(outermostMissing(path));
      throw error;
    }
  });
}

function outermostMissing(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? path : outermostMissing(parent);
}
