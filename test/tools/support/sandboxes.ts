import { chmodSync, existsSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Sandbox } from '../../../contract/sandbox.ts';
import type { JailOptions } from '../../../tools/sandbox/createJailedSandbox.ts';
import { createBubblewrapSandbox, createNsjailSandbox } from '../../../tools/sandbox/jails.ts';

/** Made by scripts/setup-system.sh: a link into a cache folder that every user may read. */
const INSTALLED = path.resolve(import.meta.dirname, '../../../.venv-nsjail/nsjail/bin/nsjail');

/** The nsjail that tests use: the one that `COA_NSJAIL` names, or the one that scripts/setup-system.sh installed. */
export function nsjailPath(): string {
  const file = process.env.COA_NSJAIL ?? INSTALLED;
  if (!existsSync(file))
    throw new Error(`${file} is missing: run scripts/setup-system.sh, or set COA_NSJAIL`);
  return realpathSync(file);
}

/** An nsjail that is started with a further argument of its own, which makes it weaker; gives back its path. */
export function writeWeakNsjail(folder: string, argument: string): string {
  const file = path.join(folder, 'nsjail');
  writeFileSync(file, `#!/bin/sh\nexec ${nsjailPath()} ${argument} "$@"\n`);
  // Root starts it as another user.
  chmodSync(folder, 0o755);
  chmodSync(file, 0o755);
  return file;
}

/** The back ends that claim to isolate, by name. */
export const isolatingSandboxes: readonly (readonly [
  name: string,
  create: (options: JailOptions) => Sandbox,
])[] = [
  ['bubblewrap', createBubblewrapSandbox],
  ['nsjail', (options) => createNsjailSandbox({ ...options, file: nsjailPath() })],
];
