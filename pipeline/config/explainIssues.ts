import type { z } from 'zod';
import { nearestName } from '../../base/nearestName.ts';
import { configKeys } from '../../schemas/config/config.ts';
import { type KeyNode, knownKeys, nodeAt } from '../../schemas/config/keyTree.ts';
import type { ConfigProblem } from './configProblems.ts';
import { meantInstead } from './meantInstead.ts';

type Issue = z.core.$ZodIssue;

interface KeyProblem extends ConfigProblem {
  readonly isUnknown: boolean;
}

/** Maximum characters shown of a wrong value. */
const MAX_VALUE_CHARS = 60;

/**
 * Describes schema issues key by key. A missing key that was misspelt is reported once.
 *
 * @param root the keys that the value may have
 */
export function explainIssues(
  issues: readonly Issue[],
  whole: unknown,
  root: KeyNode = configKeys,
): KeyProblem[] {
  const problems = issues.flatMap((issue) => problemsOf(issue, whole, root));
  const unknown = problems.filter(({ isUnknown }) => isUnknown);
  const meant = new Set(unknown.map(({ keys }) => meantKey(keys, root)?.join('.')));
  const isMisspelt = (keys: readonly PropertyKey[]) =>
    valueAt(whole, keys) === undefined && meant.has(keys.join('.'));
  return problems.filter(({ keys }) => !isMisspelt(keys));
}

/** Path of the known key closest to an unknown one; undefined if none is close. */
function meantKey(keys: readonly PropertyKey[], root: KeyNode): readonly PropertyKey[] | undefined {
  const above = keys.slice(0, -1);
  const name = nearestName(String(keys.at(-1)), knownKeys(nodeAt(root, above)));
  return name === undefined ? undefined : [...above, name];
}

function problemsOf(issue: Issue, whole: unknown, root: KeyNode): KeyProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      keys: [...issue.path, key],
      message: `unknown key; ${meantInstead(key, issue.path, root)}`,
      isUnknown: true,
    }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return problemsOfUnion(issue, whole, root);
  return [{ keys: issue.path, message: expectedAndCame(issue, whole), isUnknown: false }];
}

/** Explains a union by the member that matches the value's type; lists all members if none or several match. */
function problemsOfUnion(
  { errors, path }: z.core.$ZodIssueInvalidUnion,
  whole: unknown,
  root: KeyNode,
): KeyProblem[] {
  const value = valueAt(whole, path);
  const isOtherType = (issue: Issue) =>
    issue.path.length === 0 &&
    ((issue.code === 'invalid_type' && !(issue.expected === 'int' && typeof value === 'number')) ||
      (issue.code === 'invalid_value' && typeof issue.values[0] !== typeof value));
  const [tried, ...others] = errors.filter((issues) => !issues.some(isOtherType));
  if (tried && others.length === 0)
    return tried.flatMap((issue) => problemsOf({ ...issue, path: [...path, ...issue.path] }, whole, root));
  const expected = errors.flatMap(([first]) => (first ? [expectation(first)] : [])).join(', or ');
  return [{ keys: path, message: `expected ${expected}, got ${shown(value)}`, isUnknown: false }];
}

function expectedAndCame(issue: Issue, whole: unknown): string {
  // Custom messages are complete, and the value may contain a secret.
  if (issue.code === 'custom') return `expected ${lowerFirst(issue.message.replace(/^expected /, ''))}`;
  const value = valueAt(whole, issue.path);
  const came = value === undefined ? 'nothing' : shown(value);
  const allowed = allowedValues(issue).map(String);
  const nearest = typeof value === 'string' ? nearestName(value, allowed) : undefined;
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
  return `expected ${expectation(issue)}, got ${came}${hint}`;
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'a whole number' : (typeNames[issue.expected] ?? issue.expected);
    case 'invalid_value':
    case 'invalid_union':
      return `one of ${allowedValues(issue).map(String).join(', ')}`;
    case 'too_small':
      return `${amount(issue.origin)} ${issue.inclusive ? 'from' : 'above'} ${issue.minimum}${issue.inclusive ? ' up' : ''}`;
    case 'too_big':
      return `${amount(issue.origin)} ${issue.inclusive ? 'up to' : 'below'} ${issue.maximum}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'an http(s) URL' : lowerFirst(issue.message);
    case 'invalid_key':
      return issue.issues[0] ? `another name: ${expectation(issue.issues[0])}` : 'another name';
    default:
      return `something else (${lowerFirst(issue.message)})`;
  }
}

function allowedValues(issue: Issue): readonly unknown[] {
  if (issue.code === 'invalid_value') return issue.values;
  return issue.code === 'invalid_union' ? ((issue as { options?: readonly unknown[] }).options ?? []) : [];
}

function amount(origin: string): string {
  if (origin === 'string') return 'a text of length';
  if (origin === 'array') return 'a list of length';
  return 'a number';
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'a mapping of keys',
  record: 'a mapping of keys',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
};

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return at;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}...` : text;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
