import { type Fact, type Form, isVariable, type Triple } from '../../../schemas/taskSynthesis.ts';
import type { Statement } from './factIndex.ts';
import { type LooseForm, type Reading, type Solution, solutionsOf } from './solutions.ts';

export interface Evidence {
  /** Value keys of the variables; for a count, those of its first solution. */
  readonly values: ReadonlyMap<string, string>;
  /** Statement behind each triple with these values, in the triples' order. */
  readonly ofTriples: readonly Statement[];
  readonly statements: readonly Statement[];
  /** One fact per statement, in solving order from the named things to the answer. */
  readonly facts: readonly Fact[];
  readonly documents: number;
}

/** Maximum solutions compared for the fewest documents: a good form has one, or a few if blurred. */
const MAX_SOLUTIONS = 50;

/** Evidence of a form's first answer, given values of some variables; undefined without an answer. */
export function evidenceOf(
  form: LooseForm,
  reading: Reading,
  given?: ReadonlyMap<string, string>,
): Evidence | undefined {
  const solutions =
    form.ask === 'count' ? [...countedOf(form, reading, given)] : firstOf(form, reading, given);
  let best: Evidence | undefined;
  for (const { values, statements } of solutions) {
    const cover = coverOf(statements);
    if (best && cover.size >= best.documents) continue;
    const ordered = [...new Set(inSolvingOrder(form, statements))];
    const facts = ordered.map((one) => one.facts.find((fact) => cover.has(fact.document))!);
    const ofTriples = statements.slice(0, form.triples.length);
    best = { values, ofTriples, statements: ordered, facts, documents: cover.size };
  }
  return best;
}

function firstOf(form: LooseForm, reading: Reading, given?: Evidence['values']): Solution[] {
  const found: Solution[] = [];
  for (const solution of solutionsOf(form, reading, given)) {
    if (found.push(solution) === MAX_SOLUTIONS) break;
  }
  return found.filter(({ values }) => values.get(form.asked) === found[0]!.values.get(form.asked));
}

/** Evidence of a count: the statements about each counted thing. */
function* countedOf(form: LooseForm, reading: Reading, given?: Evidence['values']): Generator<Solution> {
  const byValue = new Map<string, Solution>();
  for (const solution of solutionsOf(form, reading, given)) {
    const value = solution.values.get(form.asked)!;
    if (!byValue.has(value)) byValue.set(value, solution);
  }
  const all = [...byValue.values()];
  if (all.length > 0) yield { values: all[0]!.values, statements: all.flatMap((one) => one.statements) };
}

type Need = readonly string[];

/** Smallest set of documents that state everything; ties by address. */
function coverOf(statements: readonly Statement[]): ReadonlySet<string> {
  const needs = [...new Set(statements)].map((one) => one.facts.map(({ document }) => document));
  for (let size = fewestFor(needs); ; size++) {
    const found = coverWithin(needs, new Set(), size);
    if (found) return found;
  }
}

/** Lower bound of the cover: the number of needs without a common document. Without it, a count would take for ever. */
function fewestFor(needs: readonly Need[]): number {
  const taken = new Set<string>();
  let apart = 0;
  for (const documents of needs) {
    if (documents.some((one) => taken.has(one))) continue;
    for (const one of documents) taken.add(one);
    apart++;
  }
  return apart;
}

function coverWithin(
  needs: readonly Need[],
  chosen: ReadonlySet<string>,
  left: number,
): ReadonlySet<string> | undefined {
  const open = needs.filter((documents) => !documents.some((one) => chosen.has(one)));
  if (open.length === 0) return chosen;
  if (fewestFor(open) > left) return undefined;
  const fewest = open.reduce((best, one) => (one.length < best.length ? one : best));
  for (const document of fewest) {
    const found = coverWithin(open, new Set([...chosen, document]), left - 1);
    if (found) return found;
  }
  return undefined;
}

/**
 * Orders statements by distance of their triples from the asked variable, farthest first; a comparison's loser comes
 * first of all.
 */
function inSolvingOrder(form: LooseForm, statements: readonly Statement[]): Statement[] {
  const depths = tripleDepths(form);
  const rank = (at: number) =>
    depths[at % (form.triples.length + (form.compare ? 1 : 0))] ?? form.triples.length;
  return statements
    .map((statement, at) => ({ statement, rank: rank(at), at }))
    .sort((a, b) => b.rank - a.rank || a.at - b.at)
    .map(({ statement }) => statement);
}

type Asking = Pick<Form, 'triples' | 'asked'>;

/** Number of triples between each variable and the asked one. */
export function depthsOf({ triples, asked }: Asking): ReadonlyMap<string, number> {
  const depth = new Map([[asked, 0]]);
  for (const variable of depth.keys()) {
    for (const [subject, , value] of triples) {
      const other = subject === variable ? value : value === variable ? subject : undefined;
      if (other === undefined || !isVariable(other) || depth.has(other)) continue;
      depth.set(other, depth.get(variable)! + 1);
    }
  }
  return depth;
}

/** Distance of each triple's farther end from the asked variable; a name is farther than the variable beside it. */
function tripleDepths(form: Asking): number[] {
  const depth = depthsOf(form);
  return form.triples.map(([subject, , value]) => {
    const [a, b] = [subject, value].map((term) => depth.get(term));
    return a === undefined || b === undefined ? (a ?? b ?? 0) + 1 : Math.max(a, b);
  });
}

/** Triples connected to some variables, directly or through others. */
export function tiedTo(triples: readonly Triple[], start: Iterable<string>): Triple[] {
  const reached = new Set(start);
  for (const variable of reached) {
    for (const triple of triples) {
      if (triple[0] !== variable && triple[2] !== variable) continue;
      for (const term of [triple[0], triple[2]]) if (isVariable(term)) reached.add(term);
    }
  }
  return triples.filter(([subject, , value]) => reached.has(subject) || reached.has(value));
}
