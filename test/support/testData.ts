import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

/** Path of a file below `test/data`. */
export function testDataPath(name: string): string {
  return fileURLToPath(new URL(`../data/${name}`, import.meta.url));
}

/** Rows of a file of JSON lines below `test/data`, gzipped if its name ends in `.gz`. */
export function testRows<Row>(name: string): Row[] {
  const bytes = readFileSync(testDataPath(name));
  const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}
