import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nsjailPath } from './nsjail.ts';

/** An nsjail that is started with a further argument of its own, which makes it weaker; gives back its path. */
export function writeWeakNsjail(folder: string, argument: string): string {
  const file = join(folder, 'nsjail');
  writeFileSync(file, `#!/bin/sh\nexec ${nsjailPath()} ${argument} "$@"\n`);
  // Root starts it as another user.
  chmodSync(folder, 0o755);
  chmodSync(file, 0o755);
  return file;
}
