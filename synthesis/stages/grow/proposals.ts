import { canonicalJson } from '../../../base/ids.ts';
import { hashedShare } from '../../../schemas/hashedShare.ts';
import {
  type Form,
  isVariable,
  type Operation,
  type Triple,
  variablesOf,
} from '../../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../records/candidate.ts';
import { amountOf, type FactIndex, relationKey, type Statement, termKey } from '../form/factIndex.ts';

/** Forms that one operation can make; their quality is checked elsewhere. */
export type Proposer = (candidate: Candidate, index: FactIndex) => Iterable<Form>;

/** Name of a form that occurs in only one triple, so that it can be replaced. */
interface Leaf {
  readonly triple: Triple;
  readonly name: string;
  readonly isSubject: boolean;
}

/** Width of a blurred range: years on either side, and relative width for other numbers. */
const BLUR_YEARS = 5;
const BLUR_SHARE = 0.1;

export const proposers: Readonly<Record<Exclude<Operation, 'atomic'>, Proposer>> = {
  depth,
  intersect,
  compare,
  count,
  blur,
};

/** Replaces a name by a thing that one fact describes; the fact must be in a document that the chain has not opened. */
function* depth({ form, chain }: Candidate, index: FactIndex): Generator<Form> {
  const opened = new Set(chain.map(({ document }) => document));
  for (const leaf of leavesOf(form)) {
    for (const clue of cluesOf(leaf.name, form, index)) {
      if (clue.statement.facts.every(({ document }) => !opened.has(document)))
        yield replaced(form, leaf, [clue.triple]);
    }
  }
}

/** Replaces a name by a thing that two facts describe together. */
function* intersect({ form }: Candidate, index: FactIndex): Generator<Form> {
  for (const leaf of leavesOf(form)) {
    const clues = cluesOf(leaf.name, form, index);
    for (const [at, first] of clues.entries()) {
      for (const second of clues.slice(at + 1)) yield replaced(form, leaf, [first.triple, second.triple]);
    }
  }
}

/**
 * Replaces a name by the larger or earlier of two things with the same facts, compared by a fact other than the asked
 * one.
 */
function* compare({ form }: Candidate, index: FactIndex): Generator<Form> {
  if (form.compare) return;
  for (const leaf of leavesOf(form).filter(({ isSubject }) => isSubject)) {
    const key = termKey(leaf.name);
    for (const own of index.about(key)) {
      if (own.subject !== key || amountOf(own.value) === undefined) continue;
      if (own.relation === relationKey(leaf.triple[1])) continue;
      for (const rival of rivalsOf(own, leaf, index)) yield comparedForm(form, leaf, own, rival);
    }
  }
}

/** Other things with an amount in the same relation and with the next fact of the chain. */
function rivalsOf(own: Statement, { triple }: Leaf, index: FactIndex): Statement[] {
  const rivals = index.matching(undefined, own.relation, undefined);
  return rivals.filter(
    (one) =>
      one.subject !== own.subject &&
      amountOf(one.value)?.unit === amountOf(own.value)!.unit &&
      index.matching(one.subject, relationKey(triple[1]), undefined).length > 0,
  );
}

function comparedForm(form: Form, leaf: Leaf, own: Statement, rival: Statement): Form {
  const [variable, by] = freshVariables(form, 2) as [string, string];
  const name = rival.facts[0]!.subject;
  const of: [string, string] = leaf.name < name ? [leaf.name, name] : [name, leaf.name];
  const picks = amountOf(own.value)!.value > amountOf(rival.value)!.value ? 'largest' : 'smallest';
  const grown = put(form, leaf, variable, [[variable, own.facts[0]!.relation, by]]);
  return { ...grown, compare: { variable, of, by, picks } };
}

/** Asks for the number of things that a fact holds of; only applies to a single fact. */
function* count({ form, chain }: Candidate, index: FactIndex): Generator<Form> {
  const [fact] = chain;
  if (form.ask === 'count' || form.triples.length > 1 || fact?.type === 'number' || fact?.type === 'date')
    return;
  const { relation, value } = fact!;
  const counted = index.matching(undefined, relationKey(relation), termKey(value));
  if (counted.length > 1) yield { triples: [['?a', relation, value]], asked: '?a', ask: 'count' };
}

/** Replaces a number by a range, or a name by the class of the thing. */
function* blur({ seed, id, form }: Candidate, index: FactIndex): Generator<Form> {
  for (const leaf of leavesOf(form)) {
    const amount = amountOf(termKey(leaf.name));
    if (amount) {
      const [variable] = freshVariables(form, 1) as [string];
      const ranges = {
        ...form.ranges,
        [variable]: rangeAround(amount.rough, hashedShare('blur', seed, `${id} ${leaf.name}`)),
      };
      yield { ...put(form, leaf, variable, []), ranges };
      continue;
    }
    for (const { triple, statement } of cluesOf(leaf.name, form, index)) {
      if (isVariable(triple[2]) || statement.facts[0]!.type !== 'text') continue;
      const grown = replaced(form, leaf, [triple]);
      yield { ...grown, classes: [...(form.classes ?? []), triple[0]] };
    }
  }
}

/** Range that contains a number at a position drawn by seed, never at its ends. */
function rangeAround(value: number, place: number): [number, number] {
  const isYear = Number.isInteger(value) && value >= 1000 && value <= 2100;
  const width = isYear ? BLUR_YEARS : Math.max(2, Math.ceil(Math.abs(value) * BLUR_SHARE));
  const below = 1 + Math.floor(place * (2 * width - 1));
  return [Math.ceil(value) - below, Math.floor(value) + 2 * width - below];
}

function leavesOf({ triples, compare: compared }: Form): Leaf[] {
  const terms = triples.flatMap(([subject, , value]) => [subject, value]);
  const isLeaf = (term: string) =>
    !isVariable(term) && !compared?.of.includes(term) && terms.filter((one) => one === term).length === 1;
  return triples.flatMap((triple): Leaf[] => {
    const [subject, , value] = triple;
    if (isLeaf(subject)) return [{ triple, name: subject, isSubject: true }];
    return isLeaf(value) ? [{ triple, name: value, isSubject: false }] : [];
  });
}

/** Statements about a name, as triples with a new variable in its place. */
function cluesOf(name: string, form: Form, index: FactIndex): { triple: Triple; statement: Statement }[] {
  const key = termKey(name);
  const [variable] = freshVariables(form, 1) as [string];
  const known = new Set(
    form.triples.map((triple) => canonicalJson([...triple].map((term) => termKey(term)))),
  );
  return index.about(key).flatMap((statement) => {
    const { subject, relation, value } = statement.facts[0]!;
    if (statement.subject === statement.value) return [];
    if (known.has(canonicalJson([subject, relation, value].map(termKey)))) return [];
    const triple: Triple =
      statement.subject === key ? [variable, relation, value] : [subject, relation, variable];
    return [{ triple, statement }];
  });
}

function replaced(form: Form, leaf: Leaf, clues: readonly Triple[]): Form {
  return put(form, leaf, freshVariables(form, 1)[0]!, clues);
}

function put(form: Form, leaf: Leaf, variable: string, more: readonly Triple[]): Form {
  const [subject, relation, value] = leaf.triple;
  const changed: Triple = leaf.isSubject ? [variable, relation, value] : [subject, relation, variable];
  return { ...form, triples: [...form.triples.map((one) => (one === leaf.triple ? changed : one)), ...more] };
}

function freshVariables(form: Form, many: number): string[] {
  const used = new Set(variablesOf(form));
  const fresh: string[] = [];
  for (let at = 1; fresh.length < many; at++) if (!used.has(`?x${at}`)) fresh.push(`?x${at}`);
  return fresh;
}
