import { type Fact, type Form, isVariable, type Triple } from '../../../schemas/taskSynthesis.ts';
import type { Statement } from './factIndex.ts';
import { type LooseForm, type Reading, type Solution, solutionsOf } from './solutions.ts';

/** What an answer rests on, in the fewest documents. */
export interface Evidence {
  /** Keys of the variables' values; of a count, those of its first solution. */
  readonly values: ReadonlyMap<string, string>;
  /** What makes each triple true with these values, in the triples' order. */
  readonly ofTriples: readonly Statement[];
  readonly statements: readonly Statement[];
  /** One fact a statement, in solving order: from what is named to what is asked for. */
  readonly facts: readonly Fact[];
  /** How many documents state them. */
  readonly documents: number;
}

/** Solutions that are looked at for the one with fewest documents: a good form has one, or a few where it is blurred. */
const MAX_SOLUTIONS = 50;

/** The evidence of a form's first answer, some variables' values given; undefined where it has none. */
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

/** What is counted rests on what holds of each counted thing. */
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

/** The smallest set of documents that state all; of several such sets the first by their addresses. */
function coverOf(statements: readonly Statement[]): ReadonlySet<string> {
  const needs = [...new Set(statements)].map((one) => one.facts.map(({ document }) => document));
  for (let size = fewestFor(needs); ; size++) {
    const found = coverWithin(needs, new Set(), size);
    if (found) return found;
  }
}

/** No cover is smaller: so many needs have no document in common. Without this bound a count would take for ever. */
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

/** Statements by how far their triples are from the asked variable, the farthest first; a comparison's loser before all. */
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

/** For each variable of a form the triples between it and the asked one. */
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

/** For each triple how far its farther end is from the asked variable; a name is farther than the variable beside it. */
function tripleDepths(form: Asking): number[] {
  const depth = depthsOf(form);
  return form.triples.map(([subject, , value]) => {
    const [a, b] = [subject, value].map((term) => depth.get(term));
    return a === undefined || b === undefined ? (a ?? b ?? 0) + 1 : Math.max(a, b);
  });
}

/** Triples that are tied to some variables, by way of others too. */
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
