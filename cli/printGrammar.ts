import { suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import { readProfiles } from '../pipeline/config/declaredProfiles.ts';
import type { Profile } from '../schemas/coa/profile.ts';
import { renderGrammarDiagram } from '../schemas/coa/render/renderGrammarDocs.ts';
import { renderGrammarText } from '../schemas/coa/render/renderGrammarText.ts';

/** Options of `coa-distill grammar`. */
export interface GrammarOptions {
  readonly mermaid?: true;
  readonly json?: true;
  readonly config?: string;
}

/** Prints a profile's grammar, or the names of all profiles. */
export async function printGrammar(name: string | undefined, options: GrammarOptions): Promise<void> {
  const { profiles, names, profileOf } = await readProfiles(options.config);
  if (name === undefined) {
    const lines = profiles.map((profile) => `${profile.name.padEnd(18)} ${profile.title}`);
    console.log(options.json ? JSON.stringify(names) : lines.join('\n'));
    return;
  }
  const profile = profileOf(name);
  if (!profile) throw new UserError(`unknown profile "${name}"; ${suggestion(name, names)}`);
  console.log(rendered(profile, options).trimEnd());
}

function rendered(profile: Profile, { mermaid, json }: GrammarOptions): string {
  if (json) {
    const { foreign_tags: _, ...table } = profile;
    return JSON.stringify(table, null, 2);
  }
  return mermaid ? renderGrammarDiagram(profile) : renderGrammarText(profile);
}
