import { type Fact, type Form, isVariable } from '../../../schemas/taskSynthesis.ts';
import { amountOf, type FactIndex, relationKey, type Statement, termKey } from './factIndex.ts';

/** Assignment that makes all triples of a form true. */
export interface Solution {
  /** Value keys of the variables. */
  readonly values: ReadonlyMap<string, string>;
  /** Statements behind it: one per triple, in order, then that of a comparison's loser. */
  readonly statements: readonly Statement[];
}

/** Form that may lack clues, down to triples without variables. */
export type LooseForm = Pick<Form, 'triples' | 'asked' | 'ask' | 'ranges' | 'compare'>;

/** All solutions of a form, given values of some variables. */
export function* solutionsOf(
  form: LooseForm,
  reading: Reading,
  given: ReadonlyMap<string, string> = new Map(),
): Generator<Solution> {
  const compared = form.compare && winnerOf(form, reading);
  if (form.compare && !compared) return;
  const open = form.triples.map(([subject, relation, value], at) => ({
    at,
    subject: keyed(subject),
    relation: relationKey(relation),
    value: keyed(value),
  }));
  const values = new Map([
    ...given,
    ...(compared ? [[form.compare!.variable, compared.winner] as const] : []),
  ]);
  const more = compared ? [compared.losing] : [];
  for (const found of joined(open, values, { form, reading, statements: [] })) {
    yield { values: found.values, statements: [...found.statements, ...more] };
  }
}

interface OpenTriple {
  readonly at: number;
  /** Variable or key. */
  readonly subject: string;
  readonly relation: string;
  readonly value: string;
}

interface Join {
  readonly form: LooseForm;
  readonly reading: Reading;
  /** Statements by triple index. */
  readonly statements: readonly (Statement | undefined)[];
}

function keyed(term: string): string {
  return isVariable(term) ? term : termKey(term);
}

function* joined(
  open: readonly OpenTriple[],
  values: ReadonlyMap<string, string>,
  join: Join,
): Generator<Solution> {
  if (open.length === 0) {
    yield { values, statements: join.statements as readonly Statement[] };
    return;
  }
  const { triple, matches } = narrowest(open, values, join.reading);
  const rest = open.filter((other) => other !== triple);
  for (const statement of matches) {
    const bound = bind(triple, statement, values, join.form.ranges);
    if (!bound) continue;
    const statements = Object.assign([...join.statements], { [triple.at]: statement });
    yield* joined(rest, bound, { ...join, statements });
  }
}

/** Open triple with the fewest matching statements. */
function narrowest(open: readonly OpenTriple[], values: ReadonlyMap<string, string>, reading: Reading) {
  const known = (term: string) => (isVariable(term) ? values.get(term) : term);
  const matched = open.map((triple) => ({
    triple,
    matches: reading.matching(known(triple.subject), triple.relation, known(triple.value)),
  }));
  return matched.reduce((best, one) => (one.matches.length < best.matches.length ? one : best));
}

function bind(
  { subject, value }: OpenTriple,
  statement: Statement,
  values: ReadonlyMap<string, string>,
  ranges: LooseForm['ranges'],
): ReadonlyMap<string, string> | undefined {
  const bound = new Map(values);
  for (const [term, key] of [[subject, statement.subject] as const, [value, statement.value] as const]) {
    if (!isVariable(term)) continue;
    if ((bound.get(term) ?? key) !== key || !isInRange(key, ranges?.[term])) return undefined;
    bound.set(term, key);
  }
  return bound;
}

function isInRange(key: string, range: readonly [number, number] | undefined): boolean {
  if (!range) return true;
  const rough = amountOf(key)?.rough;
  return rough !== undefined && rough >= range[0] && rough <= range[1];
}

/**
 * Winner of a comparison with its statements; undefined if a value is missing, ambiguous, equal or has another unit.
 */
function winnerOf({ compare, triples }: LooseForm, reading: Reading) {
  const { of, by, picks, variable } = compare!;
  const relation = triples.find(([subject, , value]) => subject === variable && value === by)?.[1];
  const sides = of.map((name) => reading.matching(termKey(name), relationKey(relation ?? ''), undefined));
  const [first, second] = sides.map((found) => (found.length === 1 ? found[0]! : undefined));
  const [a, b] = [first, second].map((one) => one && amountOf(one.value));
  if (!first || !second || !a || !b || a.unit !== b.unit || a.value === b.value) return undefined;
  const isFirst = a.value > b.value === (picks === 'largest');
  return isFirst ? { winner: first.subject, losing: second } : { winner: second.subject, losing: first };
}

/** Distinct value keys of the asked variable, up to `most`. */
export function askedValues(
  form: LooseForm,
  reading: Reading,
  most = Number.POSITIVE_INFINITY,
  given?: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { values } of solutionsOf(form, reading, given)) {
    found.add(values.get(form.asked)!);
    if (found.size >= most) break;
  }
  return found;
}

/** Answer keys of a form: none, one, or the first two of several. A count has at most one. */
export function answersOf(form: LooseForm, reading: Reading, given?: ReadonlyMap<string, string>): string[] {
  if (form.ask === 'value') return [...askedValues(form, reading, 2, given)];
  const { size } = askedValues(form, reading, undefined, given);
  return size === 0 ? [] : [termKey(`${size}`)];
}

/**
 * Facts as cited by a chain. If a relation has one value and documents state several, the cited one holds; only the
 * rule `contradicted` reports the conflict.
 */
export interface Reading {
  readonly index: FactIndex;
  matching(subject: string | undefined, relation: string, value: string | undefined): readonly Statement[];
}

export function readingOf(index: FactIndex, chain: readonly Fact[]): Reading {
  /** Cited values of relations with several values in the index; nearly always empty. */
  const cited = new Map<string, Set<string>>();
  for (const fact of chain) {
    const [subject, relation] = [termKey(fact.subject), relationKey(fact.relation)];
    if (index.isManyValued(relation) || index.matching(subject, relation, undefined).length < 2) continue;
    const place = placeOf(subject, relation);
    cited.set(place, (cited.get(place) ?? new Set()).add(termKey(fact.value)));
  }
  const holds = ({ subject, relation, value }: Statement) =>
    cited.get(placeOf(subject, relation))?.has(value) ?? true;
  return {
    index,
    matching: (subject, relation, value) => {
      const found = index.matching(subject, relation, value);
      return cited.size === 0 ? found : found.filter(holds);
    },
  };
}

function placeOf(subject: string, relation: string): string {
  return `${relation}\n${subject}`;
}
