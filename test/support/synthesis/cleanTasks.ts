import { createRandom, type Random } from '../../../examples/closed-loop/random.ts';
import type { ChainStep, Form, Operation, Triple } from '../../../schemas/taskSynthesis.ts';
import { type Candidate, identified } from '../../../synthesis/records/candidate.ts';
import { Oracle } from './oracle.ts';
import type { World, WorldTriple } from './world.ts';

/** A question that the oracle finds no fault with, made without the product's growing. */
export interface CleanTask {
  readonly candidate: Candidate;
  /** The world's triples that it goes along, in solving order. */
  readonly used: readonly (readonly [WorldTriple, Operation])[];
}

/** So many clean tasks of a world, of every kind of form; what the oracle finds fault with is left out. */
export function cleanTasks(world: World, wanted: number, seed: string): CleanTask[] {
  const random = createRandom(seed);
  const oracle = new Oracle(world.triples);
  const found: CleanTask[] = [];
  const seen = new Set<string>();
  while (found.length < wanted) {
    const draft = drafted(world, random);
    const key = JSON.stringify(draft?.form);
    if (!draft || seen.has(key) || !isClean(draft.form, oracle)) continue;
    if (oracle.fewestPages(draft.form) !== pagesOf(draft)) continue;
    seen.add(key);
    found.push({ candidate: candidateOf(draft, world), used: draft.used });
  }
  return found;
}

interface Draft {
  readonly form: Form;
  readonly used: readonly (readonly [WorldTriple, Operation])[];
}

/** Whether the oracle finds one answer, each clue needed, each thing another, and no hidden name in a named one. */
export function isClean(form: Form, oracle: Oracle): boolean {
  if (oracle.answers(form).length !== 1 || !oracle.isWithoutCycle(form)) return false;
  if (!oracle.hasOneThingALink(form) || !oracle.needsEachClue(form)) return false;
  const question = wordsOf(form).toLowerCase();
  return !oracle.hidden(form).some((name) => question.includes(name.toLowerCase()));
}

/** A question in words that names what the form names, and nothing else. */
export function wordsOf({ triples, asked, ask, ranges = {}, compare }: Form): string {
  const letters = new Map<string, string>();
  const said = (term: string) => {
    if (!term.startsWith('?')) return term;
    if (!letters.has(term)) letters.set(term, `thing ${'pqrstuvwxyz'[letters.size]}`);
    return letters.get(term)!;
  };
  const clauses = triples.map(
    ([subject, relation, value]) => `the ${relation} of ${said(subject)} is ${said(value)}`,
  );
  for (const [variable, [low, high]] of Object.entries(ranges))
    clauses.push(`${said(variable)} is from ${low} to ${high}`);
  if (compare) {
    clauses.push(
      `${said(compare.variable)} is whichever of ${compare.of.join(' and ')} has the ${compare.picks} ${said(compare.by)}`,
    );
  }
  return `${ask === 'count' ? 'How many things can be' : 'What is'} ${said(asked)}, where ${clauses.join('; ')}?`;
}

export function candidateOf({ form, used }: Draft, world: World): Candidate {
  const last = used.at(-1)![0];
  const chain = used.map(([triple, op]): ChainStep => ({ ...factOf(world, triple), op }));
  return identified({
    version: 1,
    seed: 7,
    corpus_sha256: '',
    facts: world.triples.length,
    form,
    hops: pagesOf({ used }),
    chain,
    checks: [],
    effort: {},
    spent: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 },
    task_id: 'test',
    question: wordsOf(form),
    answers: [form.ask === 'count' ? `${used.length}` : last.value],
    profile: 'web',
    rounds: [],
  });
}

function pagesOf({ used }: Pick<Draft, 'used'>): number {
  return new Set(used.map(([{ page }]) => page)).size;
}

/** The fact on the thing's own page that states a triple. */
export function factOf(world: World, { subject, relation, value, page }: WorldTriple) {
  return world.facts.find(
    (one) =>
      one.document === page && one.subject === subject && one.relation === relation && one.value === value,
  )!;
}

/** A chain from a random thing, its start perhaps described by two facts or a comparison, or a count. */
function drafted(world: World, random: Random): Draft | undefined {
  const kind = random.pick(['chain', 'chain', 'intersect', 'range', 'compare', 'count'] as const);
  if (kind === 'count') return counted(world, random);
  const path = pathFrom(
    world,
    random.pick(world.triples).subject,
    random.int(1, kind === 'chain' ? 4 : 3),
    random,
  );
  if (path.length === 0) return undefined;
  const draft = chainOf(path);
  const start = path[0]!.subject;
  const own = random.shuffle(world.triples.filter(({ subject }) => subject === start));
  if (kind === 'chain') return draft;
  return kind === 'compare' ? compared(draft, own, world, random) : described(draft, own, kind, random);
}

export function pathFrom(world: World, start: string, length: number, random: Random): WorldTriple[] {
  const path: WorldTriple[] = [];
  for (let at = start; path.length < length; ) {
    const next = world.triples.filter(({ subject }) => subject === at);
    const linking = next.filter(({ value }) => world.triples.some(({ subject }) => subject === value));
    const pool = path.length + 1 < length ? linking : next;
    if (pool.length === 0) break;
    const step = random.pick(pool);
    path.push(step);
    at = step.value;
  }
  return path;
}

export function chainOf(path: readonly WorldTriple[]): Draft {
  const term = (at: number) => (at === path.length ? '?a' : at === 0 ? path[0]!.subject : `?x${at}`);
  const triples = path.map(({ relation }, at): Triple => [term(at), relation, term(at + 1)]);
  const used = path.map((one, at) => [one, at + 1 === path.length ? 'atomic' : 'depth'] as const);
  return { form: { triples, asked: '?a', ask: 'value' }, used };
}

function startAs(form: Form, variable: string): Triple[] {
  const [[, relation, value], ...rest] = form.triples as [Triple, ...Triple[]];
  return [[variable, relation, value], ...rest];
}

function described(
  draft: Draft,
  own: readonly WorldTriple[],
  kind: 'intersect' | 'range',
  random: Random,
): Draft | undefined {
  const [first, second] = own.filter(({ relation }) => relation !== draft.used[0]![0].relation);
  if (!first || !second) return undefined;
  const used = [[first, 'intersect'] as const, [second, 'intersect'] as const, ...draft.used];
  const year = Number(second.value);
  const isRange = kind === 'range' && year > 1400 && year < 2000;
  const below = random.int(1, 9);
  const clues: Triple[] = [
    ['?s', first.relation, first.value],
    ['?s', second.relation, isRange ? '?y' : second.value],
  ];
  const ranges = isRange ? { '?y': [year - below, year + 10 - below] as [number, number] } : undefined;
  return {
    form: { ...draft.form, triples: [...startAs(draft.form, '?s'), ...clues], ...(ranges && { ranges }) },
    used,
  };
}

function compared(
  draft: Draft,
  own: readonly WorldTriple[],
  world: World,
  random: Random,
): Draft | undefined {
  const needed = draft.used[0]![0].relation;
  const amount = own.find(({ relation, value }) => relation !== needed && /^[\d,]+$/.test(value));
  const rivals = world.triples.filter(
    (one) =>
      one.relation === amount?.relation &&
      one.subject !== amount.subject &&
      world.triples.some((other) => other.subject === one.subject && other.relation === needed),
  );
  if (!amount || rivals.length === 0) return undefined;
  const rival = random.pick(rivals);
  const [a, b] = [amount, rival].map(({ value }) => Number(value.replaceAll(',', '')));
  if (a === b) return undefined;
  const triples: Triple[] = [...startAs(draft.form, '?s'), ['?s', amount.relation, '?n']];
  const of = random.shuffle([amount.subject, rival.subject]) as [string, string];
  const compare = {
    variable: '?s',
    by: '?n',
    of,
    picks: a! > b! ? ('largest' as const) : ('smallest' as const),
  };
  const used = [[amount, 'compare'] as const, [rival, 'compare'] as const, ...draft.used];
  return { form: { ...draft.form, triples, compare }, used };
}

function counted(world: World, random: Random): Draft | undefined {
  const { relation, value } = random.pick(world.triples);
  const members = world.triples.filter((one) => one.relation === relation && one.value === value);
  if (members.length < 3 || members.length > 6) return undefined;
  const form: Form = { triples: [['?a', relation, value]], asked: '?a', ask: 'count' };
  return { form, used: members.map((one) => [one, 'count'] as const) };
}
