import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of a data file that lies beside the checkout, shared by all work on the project. */
export function sharedDataPath(name: string): string {
  return fileURLToPath(new URL(`../../../shared/data/${name}`, import.meta.url));
}

/** The rows of such a file of JSON lines. */
export function sharedRows<Row>(name: string): Row[] {
  const lines = readFileSync(sharedDataPath(name), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Row);
}
