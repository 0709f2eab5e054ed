import { constantsOf, type Form, isVariable, type Triple } from '../../../schemas/taskSynthesis.ts';
import { shownIn } from '../rules/shownIn.ts';
import { relationKey, termKey } from './factIndex.ts';

/** Mapping of one form's variables to another's. */
type Naming = ReadonlyMap<string, string>;

/** True if two forms are equal up to variable names and order of triples. */
export function sameForm(a: Form, b: Form): boolean {
  if (a.ask !== b.ask || a.triples.length !== b.triples.length) return false;
  const start = agreed(new Map(), a.asked, b.asked);
  return (
    start !== undefined && [...namings(a.triples, b.triples, start)].some((naming) => isKept(a, b, naming))
  );
}

/**
 * True if a question's reading equals its form. The bracketed part of a name may be missing if the question words it
 * differently: "the 1946 film The Testimony" names `The Testimony (1946 film)`.
 */
export function isReadingOf(form: Form, read: Form, question: string): boolean {
  const names = constantsOf(form);
  const keys = new Set(names.map(termKey));
  const shown = names.filter((name) => shownIn(name, question));
  const whole = (term: unknown) => {
    if (typeof term !== 'string' || keys.has(termKey(term))) return term;
    return shown.find((name) => termKey(name.replace(/\([^()]*\)$/, '')) === termKey(term)) ?? term;
  };
  return sameForm(
    form,
    JSON.parse(JSON.stringify(read), (_, term) => whole(term)),
  );
}

function* namings(open: readonly Triple[], others: readonly Triple[], naming: Naming): Generator<Naming> {
  const [first, ...rest] = open;
  if (!first) {
    yield naming;
    return;
  }
  for (const other of others) {
    const found = matched(first, other, naming);
    if (found)
      yield* namings(
        rest,
        others.filter((one) => one !== other),
        found,
      );
  }
}

function matched(a: Triple, b: Triple, naming: Naming): Naming | undefined {
  if (relationKey(a[1]) !== relationKey(b[1])) return undefined;
  const subjects = agreed(naming, a[0], b[0]);
  return subjects && agreed(subjects, a[2], b[2]);
}

/** Extends the mapping with two equal terms; undefined if contradictory. */
function agreed(naming: Naming, a: string, b: string): Naming | undefined {
  if (!isVariable(a) || !isVariable(b)) {
    return !isVariable(a) && !isVariable(b) && termKey(a) === termKey(b) ? naming : undefined;
  }
  const known = naming.get(a);
  if (known !== undefined) return known === b ? naming : undefined;
  return [...naming.values()].includes(b) ? undefined : new Map([...naming, [a, b]]);
}

/** Compares ranges and comparison. Classes are ignored, since the wording only expresses triples. */
function isKept(a: Form, b: Form, naming: Naming): boolean {
  const ranges = Object.entries(a.ranges ?? {});
  const areRanges =
    ranges.length === Object.keys(b.ranges ?? {}).length &&
    ranges.every(([variable, range]) => `${b.ranges?.[naming.get(variable)!]}` === `${range}`);
  if (!areRanges || !a.compare || !b.compare) return areRanges && !a.compare && !b.compare;
  const [one, other] = [a.compare, b.compare];
  const sides = ({ of }: typeof one) => of.map(termKey).sort().join('\n');
  return (
    one.picks === other.picks &&
    naming.get(one.variable) === other.variable &&
    naming.get(one.by) === other.by &&
    sides(one) === sides(other)
  );
}
