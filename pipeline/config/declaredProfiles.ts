import { dirname } from 'node:path';
import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { allowedNames } from '../../base/nearestName.ts';
import { type Profile, profileSchema } from '../../schemas/coa/profile.ts';
import { profileProblems } from '../../schemas/coa/profileProblems.ts';
import { createProfileRegistry, type ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfile, builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';
import { keyTree } from '../../schemas/config/keyTree.ts';
import {
  declaredProfile,
  type ProfileDeclaration,
  profileDeclarationSchema,
  promptMembers,
} from '../../schemas/config/profiles.ts';
import { type ConfigDocument, readConfigDocument } from './configDocument.ts';
import { type ConfigProblem, ConfigProblems } from './configProblems.ts';
import { explainIssues } from './explainIssues.ts';
import { parseDocument } from './parseConfig.ts';
import { readInstructions } from './readInstructions.ts';

const profileKeys = keyTree(profileSchema);

/** Schema for reading only the profiles of a file. */
const profilesSectionSchema = z.looseObject({ profiles: z.array(profileDeclarationSchema).default([]) });

/**
 * Built-in and declared profiles.
 *
 * @throws UserError that lists the problems of every invalid one
 */
export function profileRegistryOf(
  problems: ConfigProblems,
  declarations: readonly ProfileDeclaration[],
): ProfileRegistry {
  const declared: Profile[] = [];
  for (const [index, declaration] of declarations.entries()) {
    const above = declarations.slice(0, index).map(({ name }) => name);
    const resolved = resolve(declaration, above, declared);
    if ('found' in resolved)
      for (const { keys, message } of resolved.found) problems.add(['profiles', index, ...keys], message);
    else declared.push(resolved.profile);
  }
  problems.throwIfAny();
  return createProfileRegistry(declared);
}

/** Profiles of a configuration file, ignoring its other sections; the built-in ones without a file. */
export async function readProfiles(file: string | undefined): Promise<ProfileRegistry> {
  if (file === undefined) return createProfileRegistry([]);
  const document = await readConfigDocument(file);
  const { profiles } = parseDocument(document, profilesSectionSchema);
  return loadProfiles(document, profiles, dirname(file)).then(({ registry }) => registry);
}

/**
 * Reads the prompts of declarations and builds their profiles.
 *
 * @param folder that relative paths start at
 * @throws UserError that names what is wrong with them
 */
export async function loadProfiles(
  document: ConfigDocument,
  declarations: readonly ProfileDeclaration[],
  folder: string,
): Promise<{ readonly declarations: ProfileDeclaration[]; readonly registry: ProfileRegistry }> {
  const problems = new ConfigProblems(document);
  const read = await readInstructions(problems, declarations, folder);
  return { declarations: read, registry: profileRegistryOf(problems, read) };
}

export function profilesOfRun(config: JsonObject): ProfileRegistry {
  const problems = new ConfigProblems({ file: 'run.json', value: { config }, lineOf: () => undefined });
  return profileRegistryOf(problems, profilesSectionSchema.parse(config).profiles);
}

type Resolved = { readonly profile: Profile } | { readonly found: readonly ConfigProblem[] };

/** @param above names declared earlier, including those of invalid profiles */
function resolve(
  declaration: ProfileDeclaration,
  above: readonly string[],
  declared: readonly Profile[],
): Resolved {
  const { name, extends: baseName } = declaration;
  const base = declared.find((profile) => profile.name === baseName) ?? builtinProfile(baseName ?? name);
  const found = [...nameProblems(declaration, above)];
  if (baseName !== undefined && base === undefined) {
    const known = [...builtinProfileNames, ...above];
    const message = `no profile "${baseName}" is built in or declared above; ${allowedNames(baseName, known)}`;
    // An invalid base is reported on its own.
    return { found: above.includes(baseName) ? found : [...found, { keys: ['extends'], message }] };
  }
  found.push(...droppedProblems(declaration, base));
  const parsed = profileSchema.safeParse(declaredProfile(declaration, base));
  if (!parsed.success)
    return { found: [...found, ...explainIssues(parsed.error.issues, declaration, profileKeys)] };
  found.push(...profileProblems(parsed.data).map(({ path, message }) => ({ keys: path, message })));
  return found.length > 0 ? { found } : { profile: parsed.data };
}

function droppedProblems({ drop_tags = [] }: ProfileDeclaration, base: Profile | undefined): ConfigProblem[] {
  const tags = base?.tags.map(({ tag }) => tag) ?? [];
  return drop_tags.flatMap((tag, at) =>
    tags.includes(tag)
      ? []
      : [
          {
            keys: ['drop_tags', at],
            message: `${base?.name ?? 'no base'} has no tag "${tag}"; ${allowedNames(tag, tags)}`,
          },
        ],
  );
}

function* nameProblems(declaration: ProfileDeclaration, above: readonly string[]): Generator<ConfigProblem> {
  const { name } = declaration;
  const keys = ['name'];
  if (builtinProfile(name) && !setsPromptAlone(declaration))
    yield {
      keys,
      message: `"${name}" is a built-in profile; take another name, and extends: ${name} to build on it; under its own name only its prompt can be set: instruction_file, instruction, question_join, prompt_style`,
    };
  if (above.includes(name)) yield { keys, message: `there are two profiles "${name}"; names must differ` };
}

function setsPromptAlone(declaration: ProfileDeclaration): boolean {
  const { name, ...rest } = declaration;
  const keys = Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return keys.length > 0 && keys.every((key) => (promptMembers as readonly string[]).includes(key));
}
