/** Writes the bundled world and the quickstart's tasks and script again: `node examples/atlas/generate/write.ts`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generatedFiles } from './generatedFiles.ts';

const examples = path.join(import.meta.dirname, '../..');

// Pages of an earlier world would be found by its searches.
rmSync(path.join(examples, 'atlas/site'), { recursive: true, force: true });
for (const [file, text] of generatedFiles()) {
  const target = path.join(examples, file);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
}
