import { type Form, isVariable, type Triple, variablesOf } from '../../../schemas/taskSynthesis.ts';
import { depthsOf, tiedTo } from './evidence.ts';
import { askedValues, type LooseForm, type Reading, solutionsOf } from './solutions.ts';

/** Part of a form that describes a link, without one triple: the side without the asked variable. */
export function descriptionOf(form: Form, link: string, leftOut?: Triple): LooseForm {
  const depth = depthsOf(form);
  const isBelow = (term: string) => term === link || (depth.get(term) ?? Infinity) > depth.get(link)!;
  const triples = form.triples.filter(
    (triple) => triple !== leftOut && isBelow(triple[0]) && isBelow(triple[2]),
  );
  return keptOf({ ...form, ask: 'value', asked: link }, tiedTo(triples, [link]));
}

/**
 * Proper parts of a form that determine its answer. Fewer clues only give more answers, so ambiguous parts are not
 * reduced further. A part without names that fits only one thing is excluded, since that may be due to the few
 * extracted facts.
 */
export function* sufficientParts(form: LooseForm, reading: Reading): Generator<LooseForm> {
  const wanted = askedValues(form, reading);
  const seen = new Set<string>();
  const open = [form];
  for (let part = open.pop(); part; part = open.pop()) {
    const uncompared = part.compare && withoutIdleComparison(part, reading, wanted);
    if (uncompared) yield uncompared;
    for (const smaller of smallerParts(part)) {
      const key = JSON.stringify(smaller);
      if (seen.has(key)) continue;
      seen.add(key);
      if (!isSame(smaller, reading, wanted) || !tellsSomething(smaller, reading)) continue;
      yield smaller;
      open.push(smaller);
    }
  }
}

/** True if a part gives the same answer; counts are compared by number. */
function isSame(part: LooseForm, reading: Reading, wanted: ReadonlySet<string>): boolean {
  const found = askedValues(part, reading, wanted.size + 1);
  return found.size === wanted.size && (part.ask === 'count' || [...wanted].every((one) => found.has(one)));
}

/** Replaces an idle comparison by its winner, if the loser would give the same answer. */
function withoutIdleComparison(
  part: LooseForm,
  reading: Reading,
  wanted: ReadonlySet<string>,
): LooseForm | undefined {
  const sides = withoutComparison(part);
  const giving = sides.filter((side) => askedValues(side, reading, 1).size > 0);
  return giving.every((side) => isSame(side, reading, wanted)) ? giving[0] : undefined;
}

/** Both forms in which one of the compared things is assumed to win. */
function withoutComparison(form: LooseForm): LooseForm[] {
  const { of, variable, by } = form.compare!;
  return of.map((name) => {
    const put = (term: string) => (term === variable ? name : term);
    const triples = form.triples.filter(([, , value]) => value !== by);
    return { ...form, compare: undefined, triples: triples.map(([s, r, v]): Triple => [put(s), r, put(v)]) };
  });
}

/** Forms without one clue: a triple and everything disconnected by its removal. */
function* smallerParts(form: LooseForm): Generator<LooseForm> {
  for (const lost of form.triples) {
    if (form.compare && lost[2] === form.compare.by) continue;
    const triples = tiedTo(
      form.triples.filter((one) => one !== lost),
      [form.asked],
    );
    if (triples.length > 0) yield keptOf(form, triples);
  }
  for (const variable of Object.keys(form.ranges ?? {})) {
    const { [variable]: _, ...ranges } = form.ranges!;
    yield { ...form, ranges };
  }
}

/** Restricts a form to some triples, and drops constraints on other variables. */
function keptOf(form: LooseForm, triples: readonly Triple[]): LooseForm {
  const left = variablesOf({ triples: [...triples] });
  const ranges = Object.entries(form.ranges ?? {}).filter(([variable]) => left.includes(variable));
  const { compare } = form;
  const isCompared = compare && left.includes(compare.variable) && left.includes(compare.by);
  return {
    ask: form.ask,
    asked: form.asked,
    triples: [...triples],
    ...(ranges.length > 0 && { ranges: Object.fromEntries(ranges) }),
    ...(isCompared && { compare }),
  };
}

function tellsSomething(part: LooseForm, reading: Reading): boolean {
  const { triples, ranges, compare } = part;
  const hasRange = Object.keys(ranges ?? {}).length > 0;
  const isNamed = triples.some(([s, , v]) => !isVariable(s) || !isVariable(v));
  const isAnchored = hasRange || compare !== undefined || isNamed;
  const several = solutionsOf(part, reading);
  return isAnchored || (several.next().done !== true && several.next().done !== true);
}
