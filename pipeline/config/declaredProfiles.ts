import { dirname } from 'node:path';
import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { allowedNames } from '../../base/nearestName.ts';
import { type Profile, profileSchema } from '../../schemas/coa/profile.ts';
import { grammarMembers, profileProblems } from '../../schemas/coa/profileProblems.ts';
import { createProfileRegistry, type ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfile, builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';
import { keyTree } from '../../schemas/config/keyTree.ts';
import {
  declaredProfile,
  type ProfileDeclaration,
  profileDeclarationSchema,
  promptMembers,
} from '../../schemas/config/profiles.ts';
import { readConfigDocument } from './configDocument.ts';
import { type ConfigProblem, ConfigProblems } from './configProblems.ts';
import { explainIssues } from './explainIssues.ts';
import { readInstructions } from './readInstructions.ts';

const profileKeys = keyTree(profileSchema);
const declarationKeys = Object.keys(profileDeclarationSchema.shape);

/** What is read of a file that is asked for its profiles alone. */
const profilesSectionSchema = z.looseObject({ profiles: z.array(profileDeclarationSchema).default([]) });

/** The built-in profiles and those that a configuration declares, without those that can't work: they are problems. */
export function profileRegistryOf(
  problems: ConfigProblems,
  declarations: readonly ProfileDeclaration[],
): ProfileRegistry {
  const declared: Profile[] = [];
  for (const [index, declaration] of declarations.entries()) {
    const resolved = resolve(problems, index, declaration, declarations, declared);
    if (resolved) declared.push(resolved);
  }
  return createProfileRegistry(declared);
}

/** The profiles of a configuration file, of which nothing else is looked at; the built-in ones without a file. */
export async function readProfiles(file: string | undefined): Promise<ProfileRegistry> {
  if (file === undefined) return createProfileRegistry([]);
  const problems = new ConfigProblems(await readConfigDocument(file));
  const value = problems.document.value ?? {};
  const parsed = profilesSectionSchema.safeParse(value);
  for (const { keys, message } of explainIssues(parsed.error?.issues ?? [], value))
    problems.add(keys, message);
  problems.throwIfAny();
  const declarations = await readInstructions(problems, parsed.data!.profiles, dirname(file));
  const registry = profileRegistryOf(problems, declarations);
  problems.throwIfAny();
  return registry;
}

/** The profiles of a run, from the configuration in its `run.json`. */
export function profilesOfRun(config: JsonObject): ProfileRegistry {
  const problems = new ConfigProblems({ file: 'run.json', value: { config }, lineOf: () => undefined });
  const registry = profileRegistryOf(problems, profilesSectionSchema.parse(config).profiles);
  problems.throwIfAny();
  return registry;
}

function resolve(
  problems: ConfigProblems,
  index: number,
  declaration: ProfileDeclaration,
  declarations: readonly ProfileDeclaration[],
  declared: readonly Profile[],
): Profile | undefined {
  const wrong = declarationKeys.filter((key) => problems.concerns(['profiles', index, key]));
  const { name, extends: baseName } = declaration;
  const above = declarations.slice(0, index).map((one) => one.name);
  const base = declared.find((profile) => profile.name === baseName) ?? builtinProfile(baseName ?? name);
  const isBaseKnown =
    !wrong.includes('extends') && (baseName === undefined ? !wrong.includes('name') : base !== undefined);
  const known = [...builtinProfileNames, ...above];
  const found: ConfigProblem[] = wrong.includes('name') ? [] : [...nameProblems(declaration, above)];
  // A base above that can't work is a problem of its own.
  if (baseName !== undefined && !isBaseKnown && !wrong.includes('extends') && !above.includes(baseName)) {
    const message = `no profile "${baseName}" is built in or declared above; ${allowedNames(baseName, known)}`;
    found.push({ keys: ['extends'], message });
  }
  const parsed = profileSchema.safeParse(declaredProfile(declaration, isBaseKnown ? base : anyBase));
  found.push(
    ...(parsed.success
      ? profileProblems(parsed.data, isBaseKnown ? wrong : [...wrong, ...grammarMembers]).map(
          ({ path, message }) => ({ keys: path, message }),
        )
      : explainIssues(parsed.error.issues, declaration, profileKeys)),
  );
  for (const { keys, message } of found) problems.add(['profiles', index, ...keys], message);
  return isBaseKnown && found.length + wrong.length === 0 ? parsed.data : undefined;
}

/** Stands in for a base that is not known: what is wrong with the prompt is wrong beside any. */
const anyBase = builtinProfile('mhqa')!;

/** Why a declaration can't have its name. */
function* nameProblems(declaration: ProfileDeclaration, above: readonly string[]): Generator<ConfigProblem> {
  const { name } = declaration;
  const keys = ['name'];
  if (builtinProfile(name) && !setsPromptAlone(declaration))
    yield {
      keys,
      message: `"${name}" is a built-in profile; take another name, and extends: ${name} to build on it; under its own name only its prompt can be set: instruction_file, instruction_from, instruction, question_join, prompt_style`,
    };
  if (above.includes(name)) yield { keys, message: `there are two profiles "${name}"; names must differ` };
}

/** True where a declaration says something about a prompt and nothing else. */
function setsPromptAlone(declaration: ProfileDeclaration): boolean {
  const { name, ...rest } = declaration;
  const keys = Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  return keys.length > 0 && keys.every((key) => (promptMembers as readonly string[]).includes(key));
}
