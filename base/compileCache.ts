import { getCompileCacheDir } from 'node:module';
import path from 'node:path';

/**
 * What tells a child where this process keeps compiled code, if it does: loading modules takes a third less, and sources
 * in TypeScript need no compiler, which takes 24 MB.
 */
export function compileCacheVariable(): Record<string, string> {
  const kept = getCompileCacheDir();
  // The folder in the folder that was asked for is this version's.
  return kept === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(kept) };
}
