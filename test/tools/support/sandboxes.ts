import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/**
 * A folder with a `bwrap` that runs bubblewrap with further arguments, before its own and after, which make it weaker.
 * On the PATH it is what sandboxes start.
 */
export function weakBubblewrap({ before = '', after = '' }: { before?: string; after?: string }): string {
  return fakeBubblewrap(`for word; do
  shift
  [ "$word" != -- ] || set -- "$@" ${after}
  set -- "$@" "$word"
done
exec /usr/bin/bwrap ${before} "$@"`);
}

/** A folder with a shell script named `bwrap`. */
export function fakeBubblewrap(script: string, shell = '/bin/sh'): string {
  const folder = temporaryFolder();
  const file = path.join(folder, 'bwrap');
  writeFileSync(file, `#!${shell}\n${script}\n`);
  // Root starts it as another user.
  chmodSync(folder, 0o755);
  chmodSync(file, 0o755);
  return folder;
}
