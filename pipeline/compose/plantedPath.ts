import { join } from 'node:path';

/** Where an embedded teacher writes down what it planted. */
export function plantedPath(runFolder: string): string {
  return join(runFolder, 'teacher', 'planted.jsonl');
}
