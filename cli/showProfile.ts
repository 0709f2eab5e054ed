import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import type { Profile } from '../schemas/coa/profile.ts';
import { createProfileRegistry, type ProfileRegistry } from '../schemas/coa/profileRegistry.ts';
import { renderGrammarText } from '../schemas/coa/renderGrammar.ts';

interface GrammarOptions {
  readonly json?: true;
  readonly config?: string;
}

/** Prints a profile's grammar, or the names of all profiles. */
export async function showProfile(name: string | undefined, options: GrammarOptions): Promise<void> {
  const { profiles, names, profileOf } = await profilesOf(options.config);
  if (name === undefined) {
    const lines = profiles.map((profile) => `${profile.name.padEnd(18)} ${profile.title}`);
    console.log(options.json ? JSON.stringify(names) : lines.join('\n'));
    return;
  }
  const profile = profileOf(name);
  if (!profile) throw new UserError(`unknown profile "${name}"; ${suggestion(name, names)}`);
  console.log(rendered(profile, options).trimEnd());
}

/** The built-in profiles without a file: the configuration's schemas are not loaded for them. */
async function profilesOf(file: string | undefined): Promise<ProfileRegistry> {
  if (file === undefined) return createProfileRegistry([]);
  const { readProfiles } = await import('../pipeline/config/declaredProfiles.ts');
  return readProfiles(file);
}

function rendered(profile: Profile, { json }: GrammarOptions): string {
  if (json) {
    const { foreign_tags: _, ...table } = profile;
    return JSON.stringify(table, null, 2);
  }
  return renderGrammarText(profile);
}
