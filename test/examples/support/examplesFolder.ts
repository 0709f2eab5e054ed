import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Where the examples are. */
export const examplesFolder = path.join(import.meta.dirname, '../../../examples');

/** The rows of a JSONL file of the examples. */
export function readExample<T>(file: string): T[] {
  const text = readFileSync(path.join(examplesFolder, file), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
