import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';

/** Made by scripts/setup-system.sh: a link into a cache folder that every user may read. */
const INSTALLED = path.resolve(import.meta.dirname, '../../../.venv-nsjail/nsjail/bin/nsjail');

/** The nsjail that tests use: the one that `COA_NSJAIL` names, or the one that scripts/setup-system.sh installed. */
export function nsjailPath(): string {
  const file = process.env.COA_NSJAIL ?? INSTALLED;
  if (!existsSync(file))
    throw new Error(`${file} is missing: run scripts/setup-system.sh, or set COA_NSJAIL`);
  return realpathSync(file);
}
