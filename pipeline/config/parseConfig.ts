import type { z } from 'zod';
import { type Config, configSchema } from '../../schemas/config/config.ts';
import { withFilterPreset } from '../../schemas/config/filterPresets.ts';
import type { ConfigDocument } from './configDocument.ts';
import { ConfigProblems, ReadsWrongKey } from './configProblems.ts';
import { explainIssues, meantKey, valueAt } from './explainIssues.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Rounds of stand-ins: one for each level that is missing. */
const MAX_ROUNDS = 12;

/**
 * The validated configuration of a document, defaults and the filter preset's values filled in.
 *
 * @throws UserError that names every key that is wrong
 */
export function parseConfig(document: ConfigDocument, schema?: z.ZodType<Config>): Config {
  const problems = new ConfigProblems(document);
  const config = readConfig(problems, schema);
  problems.throwIfAny();
  return config!;
}

/**
 * Reads the configuration of a document as far as its schema goes, and adds what is wrong with it to the problems.
 *
 * @returns a configuration in which every key that is wrong holds something that its schema allows; undefined where
 * that can't be had
 */
export function readConfig(
  problems: ConfigProblems,
  schema: z.ZodType<Config> = configSchema,
): Config | undefined {
  const value = withFilterPreset(problems.document.value ?? {});
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { keys, message, isUnknown } of explainIssues(parsed.error.issues, value)) {
    problems.add(keys, message);
    const meant = isUnknown ? meantKey(keys) : undefined;
    if (meant) problems.suspect(meant);
  }
  return withStandIns(value, parsed.error.issues, schema);
}

/** The configuration with something valid in place of each wrong value, so that the others can be checked further. */
function withStandIns(
  value: unknown,
  first: readonly Issue[],
  schema: z.ZodType<Config>,
): Config | undefined {
  const root = { value: structuredClone(value) };
  let issues = first;
  const tried = new Map<string, string[]>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    for (const issue of issues) replace(root, ['value', ...issue.path], issue, tried);
    const parsed = schema.safeParse(root.value);
    if (parsed.success) return parsed.data;
    issues = parsed.error.issues;
  }
  return undefined;
}

/** Puts a stand-in where an issue is; what none fits is taken out, then the value around it. */
function replace(root: object, path: Path, issue: Issue, tried: Map<string, string[]>): void {
  const holder = valueAt(root, path);
  if (issue.code === 'unrecognized_keys') {
    for (const unknown of issue.keys) delete (holder as Record<string, unknown>)[unknown];
    return;
  }
  const parent = valueAt(root, path.slice(0, -1)) as Record<PropertyKey, unknown> | undefined;
  if (typeof parent !== 'object' || parent === null) return;
  const before = tried.get(path.join('.')) ?? [];
  const standIn = before.includes(issue.code) ? undefined : standInFor(issue);
  tried.set(path.join('.'), [...before, standIn === undefined ? 'taken out' : issue.code]);
  if (standIn !== undefined) parent[path.at(-1)!] = standIn;
  else takeOut(root, before.includes('taken out') && path.length > 2 ? path.slice(0, -1) : path);
}

/** The places of a list stay where they are. */
function takeOut(root: object, path: Path): void {
  const parent = valueAt(root, path.slice(0, -1)) as Record<PropertyKey, unknown>;
  if (Array.isArray(parent)) parent[Number(path.at(-1))] = null;
  else delete parent[path.at(-1)!];
}

/** What an issue asks for in a key's place; undefined where the key had better not be there. */
function standInFor(issue: Issue): unknown {
  switch (issue.code) {
    case 'invalid_value':
      return issue.values[0];
    case 'invalid_union':
      return (issue as { readonly options?: readonly unknown[] }).options?.[0];
    case 'too_small':
      return issue.origin === 'array' ? [null] : Number(issue.minimum) + 1;
    case 'too_big':
      return issue.inclusive ? Number(issue.maximum) : Number(issue.maximum) / 2;
    case 'invalid_format':
      return issue.format === 'url' ? 'http://x' : 'x';
    case 'invalid_type':
      return structuredClone(ofType[issue.expected]);
    default:
      return undefined;
  }
}

const ofType: Readonly<Record<string, unknown>> = {
  string: 'x',
  number: 1,
  int: 1,
  boolean: false,
  array: [],
  object: {},
  record: {},
};

/**
 * The configuration for checks of what a schema can't say: whoever reads a key that is wrong gets an error, which
 * `ConfigProblems.check` takes for nothing to say.
 */
export function withoutWrong(config: Config, { wrongKeys }: ConfigProblems): Config {
  const copy = structuredClone(config);
  for (const path of wrongKeys) forbid(copy, path);
  return copy;
}

/** Makes reading of a path an error; of the first key on the way to it that is not there, where it leads nowhere. */
function forbid(value: object, [key, ...rest]: Path): void {
  if (key === undefined) return;
  const below = Object.getOwnPropertyDescriptor(value, key);
  if (below?.get) return;
  const held: unknown = below?.value;
  if (rest.length > 0 && typeof held === 'object' && held !== null) {
    forbid(held, rest);
    return;
  }
  Object.defineProperty(value, key, {
    enumerable: true,
    get: () => {
      throw new ReadsWrongKey();
    },
  });
}
