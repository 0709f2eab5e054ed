import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { nearestName } from '../../base/nearestName.ts';
import { valueAt } from '../columnPath.ts';
import type { Domain } from '../task.ts';
import { columnsOf, type TaskLayout } from './taskLayout.ts';

/** Part that a row needs to be a task; a context only if the layout has one. */
type NeededPart = 'question' | 'context' | 'answers' | 'tests';

/** A part missing at its expected path in all rows, and a similar column. */
export interface MissingColumn {
  readonly part: NeededPart;
  /** Expected path. */
  readonly wanted: string;
  readonly guess: string | undefined;
}

/** Words in column names by content, most specific first. */
const words: Readonly<Record<NeededPart, readonly string[]>> = {
  question: [
    'question',
    'problem',
    'query',
    'prompt',
    'instruction',
    'task',
    'input',
    'text',
    'messages',
    'q',
  ],
  context: ['context', 'passage', 'body', 'story', 'article', 'text'],
  answers: [
    ...['answer', 'gold', 'target', 'label', 'truth', 'reference', 'expected'],
    ...['correct', 'solution', 'response', 'output', 'result', 'a'],
  ],
  tests: ['test', 'case', 'check'],
};

const couldBe: Readonly<Record<NeededPart, (value: JsonValue) => boolean>> = {
  question: (value) => typeof value === 'string',
  context: (value) => typeof value === 'string',
  answers: (value) => ['string', 'number'].includes(typeof value) || Array.isArray(value),
  tests: (value) => typeof value !== 'number',
};

/**
 * Parts that no row has at the layout's paths, each with the most similar column by name and type. Empty without
 * rows.
 * @param rows the first of the file
 */
export function missingColumns(
  rows: readonly JsonObject[],
  layout: TaskLayout,
  domain: Domain,
): MissingColumn[] {
  const context = layout.context.length > 0 ? (['context'] as const) : [];
  const parts: readonly NeededPart[] = ['question', ...context, domain === 'code' ? 'tests' : 'answers'];
  const taken = new Set(parts.flatMap((part) => layout[part].flatMap(columnsOf)));
  return parts
    .filter(
      (part) =>
        rows.length > 0 &&
        layout[part].every((path) => columnsOf(path).some((at) => isNowhere(rows, at, part))),
    )
    .map((part) => {
      const [first = part] = layout[part];
      const wanted = columnsOf(first).find((at) => isNowhere(rows, at, part)) ?? part;
      if (wanted !== first && layout[part].length > 0) return { part, wanted, guess: undefined };
      const guess = guessColumn(rows, part, { wanted: layout[part], taken });
      if (guess !== undefined) taken.add(guess);
      return { part, wanted, guess };
    });
}

/** True if no row has a value there; an object counts as none, since the text is inside it. */
function isNowhere(rows: readonly JsonObject[], path: string, part: NeededPart): boolean {
  const isNothing = (value: JsonValue | undefined) =>
    value === undefined || (part !== 'tests' && isJsonObject(value));
  return rows.every((row) => isNothing(valueAt(row, path)));
}

/** Paths with values in a row: its columns, members of nested objects, and contents of chat messages. */
function pathsIn(row: JsonObject): string[] {
  return Object.entries(row).flatMap(([name, value]) => {
    if (isJsonObject(value)) return [name, ...Object.keys(value).map((member) => `${name}.${member}`)];
    return [name, ...soleUserContent(name, value ?? null)];
  });
}

/** Path of a chat's only user message; undefined if others would be lost. */
function soleUserContent(name: string, value: JsonValue): string[] {
  const roles = Array.isArray(value) ? value.map((one) => (isJsonObject(one) ? one.role : undefined)) : [];
  const at = roles.indexOf('user');
  if (at < 0 || roles.lastIndexOf('user') !== at) return [];
  return [`${name}.${at === roles.length - 1 ? -1 : at}.content`];
}

function guessColumn(
  rows: readonly JsonObject[],
  part: NeededPart,
  { wanted, taken }: { readonly wanted: readonly string[]; readonly taken: ReadonlySet<string> },
): string | undefined {
  const columns = [...new Set(rows.flatMap(pathsIn))].filter((path) => {
    const values = rows
      .map((row) => valueAt(row, path))
      .filter((value) => value !== undefined && value !== null);
    return !taken.has(path) && values.length > 0 && values.every(couldBe[part]);
  });
  const named = words[part].flatMap((word) =>
    columns.filter((path) =>
      word.length === 1 ? path.toLowerCase() === word : path.toLowerCase().includes(word),
    ),
  );
  const near = wanted.flatMap((name) => nearestName(name, columns) ?? []);
  return near[0] ?? named[0];
}

/** Columns in configuration syntax: `columns: { question: Prompt Text }`. */
export function columnsYaml(found: readonly MissingColumn[]): string {
  const pairs = found.flatMap(({ part, guess }) =>
    guess === undefined
      ? []
      : [`${part}: ${/^[A-Za-z][\w .]*$/.test(guess) ? guess : JSON.stringify(guess)}`],
  );
  return `columns: { ${pairs.join(', ')} }`;
}

/** One-line message about missing columns. */
export function missingColumnsText(found: readonly MissingColumn[], rows: readonly JsonObject[]): string {
  const known = [...new Set(rows.flatMap(Object.keys))].map((name) => `\`${name}\``).join(', ');
  const parts = found.map(({ wanted, guess }) =>
    guess === undefined ? `no column \`${wanted}\`` : `no column \`${wanted}\`; \`${guess}\` looks like it`,
  );
  const isGuessed = found.every(({ guess }) => guess !== undefined);
  const columns = isGuessed ? columnsYaml(found) : `columns: { ${found[0]!.part}: NAME }`;
  const there = isGuessed ? '' : `; the rows have ${known.slice(0, 200) || 'no columns'}`;
  return `${parts.join('; ')}${there}: write ${columns} under its file in tasks.sources, or name its layout with preset`;
}
