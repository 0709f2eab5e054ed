import type { z } from 'zod';
import { nearestName } from '../../base/nearestName.ts';
import { type Config, configSchema } from '../../schemas/config/config.ts';
import { withPresets } from '../../schemas/config/playerPresets.ts';
import type { ConfigDocument } from './configDocument.ts';
import { ConfigProblems, isWithin, ReadsWrongKey } from './configProblems.ts';
import { explainIssues, meantKey, valueAt } from './explainIssues.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Rounds of stand-ins: one for each level that is missing. */
const MAX_ROUNDS = 12;

/**
 * The validated configuration of a document, defaults and the values of presets filled in.
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
  const value = withPresets(problems.document.value ?? {});
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  addIssues(problems, parsed.error.issues, value);
  const { config, hidden } = withStandIns(value, parsed.error.issues, schema);
  addIssues(problems, hidden, value);
  return config;
}

function addIssues(problems: ConfigProblems, issues: readonly Issue[], value: unknown): void {
  for (const { keys, message, isUnknown } of explainIssues(issues, value)) {
    problems.add(keys, message);
    const meant = isUnknown ? meantKey(keys) : undefined;
    if (meant) problems.suspect(meant);
  }
}

/** A configuration with something valid in place of each wrong value, so that the others can be checked further. */
interface StoodIn {
  /** undefined where it can't be had. */
  readonly config: Config | undefined;
  /** Issues of mappings whose kind is wrong: a schema says nothing of their other keys. */
  readonly hidden: readonly Issue[];
}

function withStandIns(value: unknown, first: readonly Issue[], schema: z.ZodType<Config>): StoodIn {
  const root = { value: structuredClone(value) };
  const hidden: Issue[] = [];
  const kinds: Path[] = [];
  const tried = new Map<string, string[]>();
  let issues = first;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    hidden.push(...issues.filter((issue) => isHidden(issue, kinds, value)));
    for (const issue of issues) {
      if (kindsOf(issue).length === 0) replace(root, ['value', ...issue.path], issue, tried);
      else {
        setLikeliestKind(root, issue, schema);
        kinds.push(issue.path);
      }
    }
    const parsed = schema.safeParse(root.value);
    if (parsed.success) return { config: parsed.data, hidden };
    issues = parsed.error.issues;
  }
  return { config: undefined, hidden };
}

/** The names of the kinds that a mapping may be of, where the issue is that it is of none. */
function kindsOf(issue: Issue): readonly string[] {
  if (issue.code !== 'invalid_union') return [];
  return ((issue as { readonly options?: readonly unknown[] }).options ?? []).map(String);
}

/** Whether an issue was hidden by a wrong kind beside it, rather than made by the stand-in for that. */
function isHidden({ code, path }: Issue, kinds: readonly Path[], value: unknown): boolean {
  if (valueAt(value, path) === undefined) return false;
  return kinds.some(
    (kind) =>
      isWithin(kind.slice(0, -1), path) && (code === 'unrecognized_keys' || path.length >= kind.length),
  );
}

/** Of all kinds the one by which least is wrong with the mapping; a name that is nearly right goes first. */
function setLikeliestKind(root: { value: unknown }, issue: Issue, schema: z.ZodType<Config>): void {
  const { path } = issue;
  const mapping = valueAt(root.value, path.slice(0, -1)) as Record<PropertyKey, unknown>;
  const written = mapping[path.at(-1)!];
  const kinds = kindsOf(issue);
  const nearest = typeof written === 'string' ? nearestName(written, kinds) : undefined;
  const faultsOf = (kind: string): number => {
    if (kind === nearest) return -1;
    mapping[path.at(-1)!] = kind;
    const found = schema.safeParse(root.value).error?.issues ?? [];
    return found.filter((other) => isWithin(path.slice(0, -1), other.path)).length;
  };
  const counts = new Map(kinds.map((kind) => [kind, faultsOf(kind)]));
  mapping[path.at(-1)!] = kinds.toSorted((one, other) => counts.get(one)! - counts.get(other)!)[0];
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
  const name = path.join('.');
  const before = tried.get(name) ?? [];
  const standIn = before.includes(issue.code) ? undefined : standInFor(issue, parent);
  tried.set(name, [...before, standIn === undefined ? 'taken out' : issue.code]);
  // What comes in its place has parts of its own.
  for (const below of tried.keys()) if (below.startsWith(`${name}.`)) tried.delete(below);
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
function standInFor(issue: Issue, beside: object): unknown {
  switch (issue.code) {
    case 'invalid_value':
      // In a list, none that stands there already.
      return issue.values.find((one) => !Array.isArray(beside) || !beside.includes(one));
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
