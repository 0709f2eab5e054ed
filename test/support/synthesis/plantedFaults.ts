import type { Random } from '../../../examples/closed-loop/random.ts';
import {
  type ChainStep,
  constantsOf,
  linksOf,
  type ProposedFact,
  type Triple,
} from '../../../schemas/taskSynthesis.ts';
import { type Candidate, identified } from '../../../synthesis/records/candidate.ts';
import { placedFact } from '../../../synthesis/records/fact.ts';
import { type CleanTask, candidateOf, chainOf, factOf, pathFrom, wordsOf } from './cleanTasks.ts';
import { Oracle } from './oracle.ts';
import { otherSpelling } from './otherSpelling.ts';
import { documentOf, type World, type WorldTriple } from './world.ts';

/** A candidate with one fault, and the documents and facts that it is judged by. */
export interface Planted {
  readonly candidate: Candidate;
  readonly world: Pick<World, 'facts' | 'documents'>;
}

/** Plants a fault into a clean task; undefined where the task has no place for it. */
type Planter = (task: CleanTask, world: World, random: Random) => Planted | undefined;

/** Faults that a rule finds, by their names, each with the rule whose work that is. */
export const planters: Readonly<Record<string, { readonly rule: string; readonly plant: Planter }>> = {
  'leak of the answer': { rule: 'answer_hidden', plant: answerLeak },
  'leak of a link': { rule: 'links_hidden', plant: linkLeak },
  'shortcut: a page that says it all': { rule: 'fewest_documents', plant: pageSaysAll },
  'shortcut: a clue tied to the answer': { rule: 'fewest_documents', plant: tiedClue },
  'shortcut: a fact that ties a name to the answer': { rule: 'fewest_documents', plant: tyingFact },
  'ambiguous link': { rule: 'links', plant: ambiguousLink },
  'two answers': { rule: 'unique', plant: (task, world) => otherValue(true, task, world) },
  contradiction: { rule: 'contradictions', plant: (task, world) => otherValue(false, task, world) },
  'unanswerable: a page is gone': { rule: 'answerable', plant: pageGone },
  'unanswerable: a relation is never stated': { rule: 'answerable', plant: neverStated },
  'hallucinated page': { rule: 'quotes', plant: hallucinated },
  'false hop: another name': { rule: 'pseudo_step', plant: synonym },
  'false hop: the same page': { rule: 'pseudo_step', plant: samePage },
  cycle: { rule: 'cycle', plant: cycle },
  'swapped gold': { rule: 'gold', plant: swappedGold },
  'idle clue': { rule: 'clues', plant: idleClue },
  'shapeless answer': { rule: 'answer_shape', plant: shapeless },
  'a text that the solver lacks': { rule: 'standalone', plant: dependent },
  'a kind that no document states': { rule: 'kinds', plant: addedKind },
};

/** A candidate otherwise; the words ask what a changed form asks. */
function changed({ candidate }: CleanTask, change: Partial<Candidate>): Candidate {
  return identified({ ...candidate, ...(change.form && { question: wordsOf(change.form) }), ...change });
}

function pagesOf(chain: readonly ChainStep[]): number {
  return new Set(chain.map(({ document }) => document)).size;
}

function answerLeak(task: CleanTask, world: World, random: Random): Planted {
  const { question, answers } = task.candidate;
  const said = otherSpelling(answers[0]!, random);
  return { candidate: changed(task, { question: `${question} It has to do with ${said}.` }), world };
}

function linkLeak(task: CleanTask, world: World, random: Random): Planted | undefined {
  if (linksOf(task.candidate.form).length === 0) return undefined;
  const link = task.used.find(([, op]) => op === 'depth')?.[0].value;
  if (link === undefined) return undefined;
  return {
    candidate: changed(task, { question: `${task.candidate.question} (${otherSpelling(link, random)})` }),
    world,
  };
}

/** The first step's page also states the last fact. */
function pageSaysAll(task: CleanTask, world: World): Planted | undefined {
  const { chain, form } = task.candidate;
  const [first, last] = [chain[0]!, chain.at(-1)!];
  if (form.ask === 'count' || first.document === last.document || task.candidate.hops < 2) return undefined;
  const sentence = `As everyone there knows, the ${last.relation} of ${last.subject} is ${last.value}.`;
  return appended(task, world, first.document, { ...proposedOf(last), quote: sentence });
}

function proposedOf({ subject, relation, value, type, quote }: ProposedFact): ProposedFact {
  return { subject, relation, value, type, quote };
}

/** A world in which a page says one thing more, and the task in it. */
function appended(task: CleanTask, world: World, address: string, fact: ProposedFact): Planted {
  const before = world.documents.get(address)!;
  const page = documentOf(address, before.title, `${before.text} ${fact.quote}`);
  const rehashed = <T extends { document: string }>(one: T): T =>
    one.document === address ? { ...one, document_sha256: page.sha256 } : one;
  return {
    candidate: changed(task, { chain: task.candidate.chain.map(rehashed) }),
    world: {
      documents: new Map([...world.documents, [address, page]]),
      facts: [...world.facts.map(rehashed), placedFact(fact, page)],
    },
  };
}

/** A world with one more document, which states one fact. */
function withDocument(world: World, fact: ProposedFact) {
  const document = documentOf('notes.html', 'Notes', fact.quote);
  const placed = placedFact(fact, document);
  return {
    placed,
    world: {
      documents: new Map([...world.documents, [document.address, document]]),
      facts: [...world.facts, placed],
    },
  };
}

/** Another fact of the answer that it alone has: the way to it is not needed. */
function tiedClue(task: CleanTask, world: World): Planted | undefined {
  const { form, answers, chain, hops } = task.candidate;
  if (form.ask === 'count' || hops < 2) return undefined;
  const only = world.triples.find(
    (one) =>
      one.subject === answers[0] &&
      world.triples.filter(({ relation, value }) => relation === one.relation && value === one.value)
        .length === 1,
  );
  if (!only || task.used.some(([{ value }]) => value === only.value)) return undefined;
  const clue: Triple = [form.asked, only.relation, only.value];
  const step: ChainStep = { ...factOf(world, only), op: 'intersect' };
  const pages = pagesOf([...chain, step]);
  return {
    candidate: changed(task, {
      form: { ...form, triples: [...form.triples, clue] },
      chain: [...chain, step],
      hops: pages,
    }),
    world,
  };
}

/** A document states another relation between what is named and the answer. */
function tyingFact(task: CleanTask, world: World): Planted | undefined {
  const { chain, form, answers, hops } = task.candidate;
  const name = form.triples.flatMap(([subject]) => subject).find((term) => !term.startsWith('?'));
  if (form.ask === 'count' || hops < 2 || name === undefined) return undefined;
  const quote = `${name} is mostly remembered for ${answers[0]}.`;
  const fact: ProposedFact = {
    subject: name,
    relation: 'fame',
    value: answers[0]!,
    type: chain.at(-1)!.type,
    quote,
  };
  return { candidate: task.candidate, world: withDocument(world, fact).world };
}

/** The start becomes a thing that one fact describes, which describes others too. */
function ambiguousLink(task: CleanTask, world: World): Planted | undefined {
  const { form, chain, hops } = task.candidate;
  const [first] = task.used;
  if (form.ask === 'count' || form.triples.length !== task.used.length || first![1] === 'intersect')
    return undefined;
  const start = first![0].subject;
  const shared = world.triples.find(
    (one) =>
      one.subject === start &&
      !task.used.some(([{ value }]) => value === one.value) &&
      world.triples.filter(({ relation, value }) => relation === one.relation && value === one.value).length >
        1,
  );
  if (!shared) return undefined;
  const [[, relation, value], ...rest] = form.triples as [Triple, ...Triple[]];
  const triples: Triple[] = [['?s', relation, value], ['?s', shared.relation, shared.value], ...rest];
  const oracle = new Oracle(world.triples);
  const grown = { ...form, triples };
  if (oracle.answers(grown).length === 1 && !oracle.needsEachClue(grown)) return undefined;
  const step: ChainStep = { ...factOf(world, shared), op: 'intersect' };
  return { candidate: changed(task, { form: { ...form, triples }, chain: [step, ...chain], hops }), world };
}

/** Another page gives the last thing another value of the asked relation. */
function otherValue(isMany: boolean, task: CleanTask, world: World): Planted | undefined {
  const last = task.candidate.chain.at(-1)!;
  const { form } = task.candidate;
  const compared = form.triples.find((one) => one[2] === form.compare?.by)?.[1];
  if (form.ask === 'count' || compared === last.relation) return undefined;
  const other = world.triples.find(
    ({ relation, value }) =>
      relation === last.relation && task.used.every(([one]) => one.value !== value && one.subject !== value),
  );
  if (!other) return undefined;
  const quote = `The ${last.relation} of ${last.subject} is ${other.value}, as the notes have it.`;
  const fact = { ...proposedOf(last), value: other.value, quote, ...(isMany && { many_valued: true }) };
  return { candidate: task.candidate, world: withDocument(world, fact).world };
}

/** The page of one step is not there, nor anything that states its fact. */
function pageGone(task: CleanTask, world: World, random: Random): Planted | undefined {
  const { chain, form } = task.candidate;
  if (form.ask === 'count') return undefined;
  const gone = random.pick(chain);
  const isGone = (address: string) => world.documents.get(address)?.title === gone.subject;
  return {
    candidate: changed(task, { chain: chain.filter(({ document }) => !isGone(document)) }),
    world: {
      documents: new Map([...world.documents].filter(([address]) => !isGone(address))),
      facts: world.facts.filter(({ document }) => !isGone(document)),
    },
  };
}

function neverStated(task: CleanTask, world: World): Planted | undefined {
  const { chain, form } = task.candidate;
  const at = form.triples.findIndex((one) => one.includes(form.asked));
  const [subject, relation, value] = form.triples[at]!;
  const triples = form.triples.with(at, [subject, 'yearly harvest', value]);
  const left = chain.filter((step) => step.relation !== relation || form.ask !== 'count');
  return { candidate: changed(task, { form: { ...form, triples }, chain: left.slice(0, -1) }), world };
}

/** An address, a quote or a value that no document holds, and the facts as the proposer gave them. */
function hallucinated(task: CleanTask, world: World, random: Random): Planted {
  const { chain } = task.candidate;
  const at = random.int(0, chain.length - 1);
  const step = chain[at]!;
  const wrong = random.pick<Partial<ChainStep>>([
    { document: 'no-such-page.html' },
    { quote: `${step.quote} Everybody agrees on that.` },
    { span: [step.span[0] + 1, step.span[1] + 1] },
    {
      quote: world.documents.get(step.document)!.title,
      span: [0, world.documents.get(step.document)!.title.length],
    },
    { document_sha256: '0'.repeat(64) },
  ]);
  const isShown = wrong.quote !== undefined && wrong.span !== undefined && wrong.quote.includes(step.value);
  const invented: ChainStep = { ...step, ...(isShown ? { document: 'no-such-page.html' } : wrong) };
  const others = world.facts.filter((one) => one.subject !== step.subject || one.relation !== step.relation);
  const cited = chain.with(at, invented);
  return {
    candidate: changed(task, { chain: cited, hops: pagesOf(cited) }),
    world: { documents: world.documents, facts: [...others, invented] },
  };
}

/** A step more, from another name of the start. */
function synonym(task: CleanTask, world: World): Planted | undefined {
  const { form, chain, hops } = task.candidate;
  const start = task.used[0]![0].subject;
  if (form.triples[0]![0] !== start) return undefined;
  const name = `The Erstwhile Landmark`;
  const quote = `${name} is also called ${start}.`;
  const fact: ProposedFact = { subject: name, relation: 'also called', value: start, type: 'entity', quote };
  const { placed, world: more } = withDocument(world, fact);
  const [[, relation, value], ...rest] = form.triples as [Triple, ...Triple[]];
  const triples: Triple[] = [[name, 'also called', '?s'], ['?s', relation, value], ...rest];
  const known = [
    ...world.triples,
    { subject: name, relation: 'also called', value: start, page: placed.document },
  ];
  const oracle = new Oracle(known);
  const grown = { ...form, triples };
  if (oracle.fewestPages(grown) !== hops + 1 || !oracle.needsEachClue(grown)) return undefined;
  return {
    candidate: changed(task, {
      form: { ...form, triples },
      chain: [{ ...placed, op: 'depth' }, ...chain],
      hops: hops + 1,
    }),
    world: more,
  };
}

/** The first step's page states the second one's fact, and the chain cites it there. */
function samePage(task: CleanTask, world: World): Planted | undefined {
  const { chain, hops, form } = task.candidate;
  const [first, second, ...rest] = chain;
  if (!second || first!.op !== 'depth' || form.compare) return undefined;
  const quote = `Besides, the ${second.relation} of ${second.subject} is ${second.value}.`;
  const planted = appended(task, world, first!.document, { ...proposedOf(second), quote });
  const cited: ChainStep = { ...planted.world.facts.at(-1)!, op: second.op };
  const isLost = !rest.some(({ document }) => document === second.document);
  return {
    ...planted,
    candidate: identified({
      ...planted.candidate,
      chain: [planted.candidate.chain[0]!, cited, ...rest],
      hops: isLost ? hops - 1 : hops,
    }),
  };
}

/** A way that comes back to a thing that it has left, and goes on from there. */
function cycle(_task: CleanTask, world: World, random: Random): Planted | undefined {
  const path = pathFrom(world, random.pick(world.triples).subject, 5, random);
  const things = path.map(({ subject }) => subject);
  const back = things.findIndex(
    (thing, at) => at > 1 && things.indexOf(thing) > 0 && things.indexOf(thing) < at,
  );
  if (back < 0) return undefined;
  const draft = chainOf(path.slice(0, back + 1));
  const isNamed = draft.used.some(([{ value }]) => value === things[0]);
  const answers = new Oracle(world.triples).answers(draft.form);
  if (isNamed || answers.length !== 1 || new Set(draft.used.map(([{ value }]) => value)).size < back)
    return undefined;
  return { candidate: candidateOf(draft, world), world };
}

/** The answers of another group of questions. */
function swappedGold(task: CleanTask, world: World, random: Random): Planted | undefined {
  const last = task.candidate.chain.at(-1)!;
  const others = world.triples.filter(
    ({ relation, value }) => relation === last.relation && value !== last.value,
  );
  if (task.candidate.form.ask === 'count' || others.length === 0) return undefined;
  const { value } = random.pick(others);
  const isNear = task.used.some(([one]) => [one.subject, one.value].includes(value));
  return isNear || world.triples.some((one) => one.subject === last.subject && one.value === value)
    ? undefined
    : { candidate: changed(task, { answers: [value] }), world };
}

/** A clue that adds nothing: another fact of the thing that the last step starts from. */
function idleClue(task: CleanTask, world: World): Planted | undefined {
  const { form, chain, hops } = task.candidate;
  const last: WorldTriple = task.used.at(-1)![0];
  const [subject] = form.triples.find((one) => one[2] === form.asked) ?? [];
  if (form.ask === 'count' || !subject?.startsWith('?')) return undefined;
  const more = world.triples.find(
    (one) =>
      one.subject === last.subject &&
      task.used.every(([used]) => used.value !== one.value && used.subject !== one.value) &&
      world.triples.filter(({ relation, value }) => relation === one.relation && value === one.value).length >
        1,
  );
  if (!more) return undefined;
  const triples: Triple[] = [...form.triples, [subject, more.relation, more.value]];
  const step: ChainStep = { ...factOf(world, more), op: 'intersect' };
  // A part that needs fewer pages would be a shortcut.
  if (new Oracle(world.triples).fewestPages({ ...form, triples }) !== hops) return undefined;
  return { candidate: changed(task, { form: { ...form, triples }, chain: [...chain, step], hops }), world };
}

/** A sentence, a list, or no value, as gold and in the page. */
function shapeless(task: CleanTask, world: World, random: Random): Planted | undefined {
  const { chain, form } = task.candidate;
  const last = chain.at(-1)!;
  if (form.ask === 'count' || last.type === 'number' || last.type === 'date') return undefined;
  const value = random.pick([
    `${last.value}; ${last.subject}`,
    `a place that was known under many other names before anyone thought of ${last.value}`,
    'unknown',
    'yes',
  ]);
  const quote = `The ${last.relation} of ${last.subject} is ${value}.`;
  const gone = world.facts.filter((one) => one.subject !== last.subject || one.relation !== last.relation);
  const planted = appended(task, { ...world, facts: gone }, last.document, {
    ...proposedOf(last),
    value,
    quote,
  });
  const cited: ChainStep = { ...planted.world.facts.at(-1)!, op: last.op };
  return {
    ...planted,
    candidate: identified({
      ...planted.candidate,
      answers: [value],
      chain: [...planted.candidate.chain.slice(0, -1), cited],
    }),
  };
}

function addedKind(task: CleanTask, world: World, random: Random): Planted | undefined {
  const { question, form } = task.candidate;
  const [name] = constantsOf(form);
  if (!name || !question!.includes(name)) return undefined;
  const kind = random.pick(['movie', 'newspaper']);
  const said = random.pick([`the ${kind} "${name}"`, `the ${name} ${kind}`]);
  return { candidate: changed(task, { question: question!.replace(name, said) }), world };
}

function dependent(task: CleanTask, world: World, random: Random): Planted {
  const words = random.pick([
    'according to the article',
    'as mentioned above',
    'in this passage',
    'that the given text describes',
    'on this page',
  ]);
  return {
    candidate: changed(task, { question: task.candidate.question!.replace('?', `, ${words}?`) }),
    world,
  };
}
