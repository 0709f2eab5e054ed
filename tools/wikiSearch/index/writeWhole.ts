import { readdirSync, rmSync } from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a file that appears under its name only when it is complete and on disk. What writers of the same file that
 * were killed left behind is taken away.
 *
 * @param write given the name to write under until then
 */
export async function writeWhole<T>(file: string, write: (building: string) => Promise<T>): Promise<T> {
  await mkdir(path.dirname(file), { recursive: true });
  removeAbandoned(file);
  const building = `${file}.${process.pid}.building`;
  rmSync(building, { force: true });
  try {
    const written = await write(building);
    await flushToDisk(building);
    await rename(building, file);
    return written;
  } finally {
    rmSync(building, { force: true });
  }
}

function removeAbandoned(file: string): void {
  const folder = path.dirname(file);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${path.basename(file)}.`)) continue;
    const writer = /^\.(\d+)\.building$/.exec(name.slice(path.basename(file).length))?.[1];
    if (writer !== undefined && !isAlive(Number(writer))) rmSync(path.join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and another user's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function flushToDisk(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
