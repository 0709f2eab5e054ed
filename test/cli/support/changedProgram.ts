import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { roomFolders } from '../../support/rooms.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sources = ['bin', ...roomFolders, 'capabilities.ts', 'package.json'].filter((name) =>
  existsSync(join(root, name)),
);

/** A text of a source file that is another in a later version of the program. */
export interface SourceChange {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A copy of the program with changes, as its next version would be. Returns its launcher. */
export function changedProgram(changes: readonly SourceChange[]): string {
  const folder = temporaryFolder();
  for (const source of sources) cpSync(join(root, source), join(folder, source), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const { file, from, to } of changes) {
    const text = readFileSync(join(folder, file), 'utf8');
    if (!text.includes(from)) throw new Error(`${file} no longer holds ${JSON.stringify(from)}`);
    writeFileSync(join(folder, file), text.replace(from, to));
  }
  return join(folder, 'bin/coa-distill.js');
}
