import type { ProposedFact } from '../../../schemas/synthesis/fact.ts';
import { type Form, isVariable, type Triple } from '../../../schemas/synthesis/form.ts';

type Known = Pick<ProposedFact, 'subject' | 'relation' | 'value'>;
type Bindings = ReadonlyMap<string, string>;

/** The values that a form's asked variable has by some facts, each once; of a count their number. */
export function answersOf(form: Form, facts: readonly Known[]): string[] {
  const found = winning(form, allBindings(form, facts));
  const values = [...new Set(found.map((bindings) => bindings.get(form.asked)!))];
  return form.ask === 'count' && values.length > 0 ? [String(values.length)] : values;
}

/** Of the bindings of a comparison those of the thing that wins; none while one of the two is unknown. */
function winning({ compare }: Form, all: readonly Bindings[]): readonly Bindings[] {
  if (!compare) return all;
  const numberOf = (name: string) =>
    numberIn(all.find((one) => one.get(compare.variable) === name)?.get(compare.by) ?? '');
  const [one, other] = [numberOf(compare.of[0]), numberOf(compare.of[1])];
  if (one === undefined || other === undefined || one === other) return [];
  const winner = compare.of[one > other === (compare.picks === 'largest') ? 0 : 1];
  return all.filter((bindings) => bindings.get(compare.variable) === winner);
}

function allBindings(form: Form, facts: readonly Known[]): Bindings[] {
  const { compare, ranges = {} } = form;
  const starts: Bindings[] = compare
    ? compare.of.map((name) => new Map([[compare.variable, name]]))
    : [new Map()];
  const fits = (term: string, value: string) => {
    const range = ranges[term];
    const number = range && numberIn(value);
    return !range || (number !== undefined && range[0] <= number && number <= range[1]);
  };
  return starts.flatMap((start) => bind(form.triples, facts, start, fits));
}

function bind(
  triples: readonly Triple[],
  facts: readonly Known[],
  bindings: Bindings,
  fits: (term: string, value: string) => boolean,
): Bindings[] {
  const boundTo = (term: string) => (isVariable(term) ? bindings.get(term) : term);
  const isKnown = ([subject, , value]: Triple) =>
    boundTo(subject) !== undefined || boundTo(value) !== undefined;
  const triple = triples.find(isKnown) ?? triples[0];
  if (!triple) return [bindings];
  const [subject, relation, value] = triple;
  const rest = triples.filter((other) => other !== triple);
  const agrees = (term: string, said: string) => sameName(boundTo(term) ?? said, said) && fits(term, said);
  return facts
    .filter(
      (fact) => fact.relation === relation && agrees(subject, fact.subject) && agrees(value, fact.value),
    )
    .flatMap((fact) =>
      bind(rest, facts, new Map([...bindings, [subject, fact.subject], [value, fact.value]]), fits),
    );
}

/**
 * What a solver has to look up next to answer a form, the first search first: things whose facts are not known yet, then
 * things that are known by one of their facts alone.
 */
export function openSearches(form: Form, facts: readonly Known[]): string[] {
  const known = reached(form, facts);
  const searches = form.triples.flatMap(([subject, relation, value]) => {
    const named = known.get(subject) ?? new Set<string>();
    const unread = [...named].filter(
      (name) => !facts.some((fact) => sameName(fact.subject, name) && fact.relation === relation),
    );
    return unread.length > 0 || named.size > 0
      ? unread
      : [...(known.get(value) ?? [])].map((name) => `${relation} ${name}`);
  });
  return [...new Set(searches)];
}

/** The names that a variable of a form may stand for by some facts. */
export function namesOf(form: Form, variable: string, facts: readonly Known[]): string[] {
  return [...(reached(form, facts).get(variable) ?? [])];
}

/** The names that each term of a form may stand for, as far as facts lead from the named things. */
function reached({ triples, compare }: Form, facts: readonly Known[]): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>(compare ? [[compare.variable, new Set(compare.of)]] : []);
  const terms = new Set(triples.flatMap(([subject, , value]) => [subject, value]));
  for (const term of terms) if (!isVariable(term)) known.set(term, new Set([term]));
  const learn = (term: string, name: string) => {
    const names = known.get(term) ?? new Set<string>();
    if (!isVariable(term) || names.has(name)) return false;
    known.set(term, names.add(name));
    return true;
  };
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const [subject, relation, value] of triples) {
      for (const fact of facts.filter((one) => one.relation === relation)) {
        if (holds(known.get(subject), fact.subject)) isNew = learn(value, fact.value) || isNew;
        else if (holds(known.get(value), fact.value)) isNew = learn(subject, fact.subject) || isNew;
      }
    }
  }
  return known;
}

function holds(names: ReadonlySet<string> | undefined, name: string): boolean {
  return names !== undefined && [...names].some((one) => sameName(one, name));
}

function sameName(one: string, other: string): boolean {
  return one === other || one.toLowerCase() === other.toLowerCase();
}

/** The first number of a value; of a date its year. */
function numberIn(value: string): number | undefined {
  const found = value.match(/\d{4}$/)?.[0] ?? value.replaceAll(',', '').match(/-?\d+(?:\.\d+)?/)?.[0];
  return found === undefined ? undefined : Number(found);
}
