import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** Writes shell programs into a folder, a new one unless told; returns the folder. */
export function installPrograms(
  programs: Readonly<Record<string, string>>,
  folder: string = temporaryFolder(),
): string {
  for (const [name, text] of Object.entries(programs))
    writeFileSync(path.join(folder, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  return folder;
}
