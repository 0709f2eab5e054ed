import { fileURLToPath } from 'node:url';

/** Path of a data file that lies beside the checkout, shared by all work on the project. */
export function sharedDataPath(name: string): string {
  return fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url));
}
