import { rmSync } from 'node:fs';

const paths = new Set<string>();

/** Removes a file also where the process ends without a word, as when nobody reads its output any more. */
export function removeAtExit(path: string): void {
  if (paths.size === 0) process.on('exit', removeAll);
  paths.add(path);
}

/** Lets a file stay, or notes that it is gone. */
export function keepAtExit(path: string): void {
  paths.delete(path);
  if (paths.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const path of paths) rmSync(path, { force: true });
}
