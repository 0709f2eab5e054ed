import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import type { Profile } from '../schemas/coa/profile.ts';
import { createProfileRegistry, type ProfileRegistry } from '../schemas/coa/profileRegistry.ts';
import { renderGrammarText } from '../schemas/coa/renderGrammar.ts';

interface GrammarOptions {
  readonly json?: true;
  readonly config?: string;
}

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

/** Built-in profiles without a file, which avoids loading the configuration's schemas. */
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
