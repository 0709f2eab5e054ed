import { copyFile, stat } from 'node:fs/promises';
import { buildFile } from './atomicFile.ts';

/**
 * Makes a file that another name shares (a hard link) a file of its own, before it is written to or cut. A file that
 * is not there, or that nobody shares, is left as it is.
 */
export async function unshare(path: string): Promise<void> {
  const links = await stat(path).then(
    ({ nlink }) => nlink,
    () => 0,
  );
  if (links > 1) await buildFile(path, (temporary) => copyFile(path, temporary));
}
