import { existsSync, readFileSync } from 'node:fs';

/** Whole lines of a file that may not be there yet. */
export function linesOf(path: string): number {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}
