import { type Form, isVariable, type ProposedFact, type Triple } from '../../schemas/taskSynthesis.ts';
import { parseCalendarDate } from '../../schemas/words/calendarDate.ts';

type Known = Pick<ProposedFact, 'subject' | 'relation' | 'value'>;
type Bindings = ReadonlyMap<string, string>;

/** Distinct values of a form's asked variable according to some facts; for a count, their number. */
export function answersOf(form: Form, facts: readonly Known[]): string[] {
  const values = namesOf(form, form.asked, facts);
  return form.ask === 'count' && values.length > 0 ? [String(values.length)] : values;
}

/** Distinct names of a form's variable according to some facts. */
export function namesOf(form: Form, variable: string, facts: readonly Known[]): string[] {
  const start = startOf(form, facts);
  const fits = (term: string, value: string) => {
    const range = form.ranges?.[term];
    const rough = range && roughOf(value);
    return !range || (rough !== undefined && range[0] <= rough && rough <= range[1]);
  };
  const found = start ? bind(form.triples, facts, start, fits) : [];
  return [...new Set(found.map((bindings) => bindings.get(variable)!))];
}

/** Initial binding: the winner of a comparison; undefined while unknown. */
function startOf({ compare, triples }: Form, facts: readonly Known[]): Bindings | undefined {
  if (!compare) return new Map();
  const relation = triples.find(([, , value]) => value === compare.by)?.[1];
  const amounts = compare.of.map((name) => {
    const stated = facts.find((fact) => fact.relation === relation && sameName(fact.subject, name));
    return stated && amountOf(stated.value);
  });
  const [one, other] = amounts;
  if (one === undefined || other === undefined || one === other) return undefined;
  return new Map([[compare.variable, compare.of[one > other === (compare.picks === 'largest') ? 0 : 1]]]);
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
 * Names to look up next for answering a form, in order: things with unknown facts, then things known by a single fact.
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

/** Possible names of each term of a form, following facts from the named things. */
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

function amountOf(value: string): number | undefined {
  const { year, month = 0, day = 0 } = parseCalendarDate(value) ?? {};
  return year === undefined ? roughOf(value) : year * 10_000 + month * 100 + day;
}

function roughOf(value: string): number | undefined {
  const found = value.match(/\d{4}$/)?.[0] ?? value.replaceAll(',', '').match(/-?\d+(?:\.\d+)?/)?.[0];
  return found === undefined ? undefined : Number(found);
}
