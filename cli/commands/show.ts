import { Option } from 'commander';
import { suggestion } from '../../base/nearestName.ts';
import { UserError } from '../../base/userError.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { createProfileRegistry, type ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { renderGrammarDiagram, renderGrammarText } from '../../schemas/coa/renderGrammar.ts';
import { Command } from '../command.ts';

/** `coa-distill show profile`. */
export function showCommand(): Command {
  const profile = new Command('profile')
    .description("Print an agent profile's grammar: its tags, who writes them, what may follow what")
    .argument('[name]', 'a profile; without one, the names of all')
    .addOption(new Option('--mermaid', 'as a Mermaid state diagram').conflicts('json'))
    .option('--json', 'as the table itself')
    .option('--config <file>', 'configuration whose own profiles are known too; nothing else of it is read')
    .examples(
      ['coa-distill show profile web', 'to read'],
      ['coa-distill show profile mine --config coa.yaml --mermaid', 'a profile of your own, to draw'],
    )
    .action(printGrammar);
  return new Command('show').addCommand(profile);
}

interface GrammarOptions {
  readonly mermaid?: true;
  readonly json?: true;
  readonly config?: string;
}

/** Prints a profile's grammar, or the names of all profiles. */
async function printGrammar(name: string | undefined, options: GrammarOptions): Promise<void> {
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
  const { readProfiles } = await import('../../pipeline/config/declaredProfiles.ts');
  return readProfiles(file);
}

function rendered(profile: Profile, { mermaid, json }: GrammarOptions): string {
  if (json) {
    const { foreign_tags: _, ...table } = profile;
    return JSON.stringify(table, null, 2);
  }
  return mermaid ? renderGrammarDiagram(profile) : renderGrammarText(profile);
}
