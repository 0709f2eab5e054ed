import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { replaceFile } from '../../base/files/atomicFile.ts';
import type { ProfileDeclaration } from '../../schemas/config/profiles.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';

/** The file in a run's folder with the profile that was built from its rows, as a configuration has it. */
export const PROFILE_FILE = 'profile.yaml';

/** A profile as the section `profiles` of a configuration. */
export function profileYaml(declaration: ProfileDeclaration): string {
  return stringify({ profiles: [declaration] }, { lineWidth: 0 });
}

/** Writes the profile that was built from a run's rows beside them, unless it is there: a person may have edited it. */
export async function writeProfileFile(folder: string, { built }: ImportedFiles): Promise<void> {
  const path = join(folder, PROFILE_FILE);
  if (!built || existsSync(path)) return;
  const note =
    '# Built from the tools and the order of the imported rows. To change it, edit it, give it a name of its own, and\n# import again with --config and --profile, or copy it into the profiles of a configuration.\n';
  await replaceFile(path, note + profileYaml(built.declaration));
}
