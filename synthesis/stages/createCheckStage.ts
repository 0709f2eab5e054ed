import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import type { Fact } from '../../schemas/taskSynthesis.ts';
import { type Candidate, candidateSchema } from '../records/candidate.ts';
import type { CheckerMeasure } from '../records/tasksetManifest.ts';
import type { SynthesisRoles } from '../roles.ts';
import type { SynthesizeConfig } from '../synthesizeConfig.ts';
import { type AnswerJudge, Inquiry, tallyOf } from './askAbout.ts';
import { relationKey, termKey } from './form/factIndex.ts';
import { isReadingOf } from './form/sameForm.ts';
import { Gate } from './gate.ts';
import { measureChecker, offeredRelations } from './measureChecker.ts';
import { type Answered, isRight, measureWithTools } from './measureWithTools.ts';
import { reasonOf, searchVerdict } from './rules/askedRules.ts';
import { type Corpus, firstFinding, type ReadCorpus } from './rules/examined.ts';
import { formRules } from './rules/formRules.ts';
import { shownIn } from './rules/shownIn.ts';
import { wordRules } from './rules/wordRules.ts';
import { otherAnswer, readFact, type UnreadFact, unreadFacts, withFacts } from './unreadFacts.ts';

/** Quotes of facts, each below the title of its document. */
function evidencePassages(facts: readonly Fact[], documents: Corpus['documents']): string[] {
  const passages = facts.map(
    ({ document, quote }) => `# ${documents.get(document)?.title ?? document}\n\n${quote}`,
  );
  return [...new Set(passages)];
}

/** Maximum characters of a noise document. */
const MAX_NOISE_CHARS = 600;

/**
 * Beginnings of documents unrelated to a candidate's facts, drawn by its id. Half of them have facts of the same
 * relations, so that the only date cannot be guessed among other text.
 */
function noisePassages(
  { id, chain }: Pick<Candidate, 'id' | 'chain'>,
  { documents, index }: Corpus,
  { count, seed }: { readonly count: number; readonly seed: number },
): string[] {
  const documentsOf = (ends: 'same' | 'any') =>
    chain.flatMap(({ subject, relation, value }) => {
      const [from, to] = ends === 'same' ? [termKey(subject), termKey(value)] : [];
      return index
        .matching(from, relationKey(relation), to)
        .flatMap(({ facts }) => facts.map(({ document }) => document));
    });
  const own = new Set([...chain.map(({ document }) => document), ...documentsOf('same')]);
  const others = [...documents.keys()].filter((address) => !own.has(address));
  const like = [...new Set(documentsOf('any'))].filter((address) => !own.has(address));
  const drawn = Array.from({ length: count }, (_, at) => {
    const pool = at % 2 === 0 && like.length > 0 ? like : others;
    return pool[Math.floor(hashedShare(`noise ${at}`, seed, id) * pool.length)];
  });
  return [...new Set(drawn)].flatMap(
    (address) => documents.get(address ?? '')?.text.slice(0, MAX_NOISE_CHARS) ?? [],
  );
}

/** Options of the stages `grow` and `check`. */
export interface InquiryOptions {
  readonly openRoles: () => Promise<SynthesisRoles>;
  readonly openCorpus: () => Promise<ReadCorpus>;
  readonly judge: AnswerJudge;
  readonly config: SynthesizeConfig;
  readonly seed: number;
  /** Concurrent candidates. */
  readonly concurrency: number;
}

interface CheckOptions extends InquiryOptions {
  /** Called with the measured quality of the role `check`, before any candidate is checked. */
  readonly onMeasured?: (measure: CheckerMeasure) => Promise<void>;
}

/**
 * Creates the stage `check`. A candidate must not be answerable without evidence, must be answerable from its evidence,
 * and not when any hop is missing. Rules run first, then models, cheap questions first. The first failed check drops
 * the candidate; a model error fails it, which is not a verdict.
 */
export function createCheckStage(options: CheckOptions): RecordStage<Candidate, Candidate> {
  const { config, seed } = options;
  return {
    name: 'check',
    version: 5,
    input: candidateSchema,
    output: candidateSchema,
    concurrency: options.concurrency,
    async prepare() {
      await options.openRoles();
    },
    async begin() {
      if (!config.check.read_back) return;
      const [roles, { facts }] = [await options.openRoles(), await options.openCorpus()];
      const measure = await measureChecker(facts, roles, seed);
      await options.onMeasured?.(measure);
    },
    async run(candidate, context) {
      const inquiry = new Inquiry(candidate.task_id, candidate.spent, { ...context, stage: 'check' });
      const gate = new Gate(candidate, options.config, inquiry);
      const parts = {
        ...options,
        corpus: await options.openCorpus(),
        roles: await options.openRoles(),
        inquiry,
      };
      for (const check of checks) {
        await check(gate, parts);
        if (gate.dropped) return gate.dropped;
      }
      return emitRecord(gate.passed);
    },
  };
}

interface CheckParts extends Omit<CheckOptions, 'openRoles' | 'openCorpus'> {
  readonly corpus: Corpus;
  readonly roles: SynthesisRoles;
  readonly inquiry: Inquiry;
}

type Check = (gate: Gate, parts: CheckParts) => Promise<void>;

const byRules: Check = async (gate, { corpus }) => {
  const all = [...formRules, ...wordRules];
  const found = firstFinding(all, gate.candidate, corpus);
  if (found) gate.note({ name: found.name, verdict: 'fail', evidence: found.evidence }, found.reason);
  else for (const { name, reason } of all) gate.note({ name, verdict: 'pass' }, reason);
};

const readBack: Check = async (gate, { config, roles, corpus: { index }, inquiry, seed }) => {
  if (!config.check.read_back) return;
  const { id, question, form, chain } = gate.candidate;
  const own = form.triples.map(([, relation]) => relationKey(relation));
  const near = chain.flatMap(({ subject }) => index.about(termKey(subject)).map(({ relation }) => relation));
  const relations = offeredRelations([...own, ...near], index.relations, [seed, id]);
  const { tally, last } = await inquiry.votes(
    (context) => roles.readBack(question, relations, context),
    (read) => isReadingOf(form, read, question),
  );
  gate.decide('read_back', tally, isReadingOf(form, last.value, question) ? {} : { read: last.value });
};

const closedBook: Check = async (gate, parts) => {
  const { tries } = parts.config.check.closed_book;
  const { tally, answers } = await solved(gate, [], tries, parts);
  gate.measured({ closed_book_pass_rate: tally.passed / tally.tries });
  gate.decide('closed_book', tally, { answers });
};

/** Number of passages from other documents mixed into the evidence. */
const NOISE_PASSAGES = 4;

/** Quotes of facts mixed with noise passages. */
function amongNoise(facts: readonly Fact[], { candidate }: Gate, { corpus, seed }: CheckParts): string[] {
  const { documents } = corpus;
  const noise = noisePassages(candidate, corpus, { count: NOISE_PASSAGES, seed });
  return [...evidencePassages(facts, documents), ...noise];
}

const withEvidence: Check = async (gate, parts) => {
  const { tries } = parts.config.check.evidence;
  const { tally, answers } = await solved(gate, amongNoise(gate.candidate.chain, gate, parts), tries, parts);
  gate.decide('with_evidence', tally, { answers });
};

const withoutHops: Check = async (gate, parts) => {
  const { chain } = gate.candidate;
  const hops = [...new Set(chain.map(({ document }) => document))];
  if (!parts.config.check.ablation || hops.length < 2) return;
  for (const hop of hops) {
    const rest = chain.filter(({ document }) => document !== hop);
    // The only date or name in a single quote could be guessed.
    const { tally, answers } = await solved(gate, amongNoise(rest, gate, parts), 1, parts);
    gate.decide('without_hop', tally, { answers, without: hop });
    if (gate.dropped) return;
  }
};

const oneSearch: Check = async (gate, { roles: { search }, inquiry }) => {
  const { question, answers, hops, form } = gate.candidate;
  // Small numbers occur on every page, so they do not reveal a count.
  if (!search || form.ask === 'count') return;
  const found = await search(question, { ...inquiry.scope, ask: 0 });
  const one_search = answers.some((answer) => shownIn(answer, found));
  gate.measured({ one_search });
  gate.note(searchVerdict(one_search, hops), reasonOf('one_search'));
};

/**
 * Searches the documents for facts that were not extracted and would give another answer, since uniqueness must also
 * hold for the documents' full text.
 */
const unread: Check = async (gate, { config, corpus, roles, inquiry }) => {
  if (!config.check.unread_facts) return;
  const { candidate } = gate;
  const asked = new Map<string, string>();
  let known = corpus;
  let open = unreadFacts(candidate, known);
  while (asked.size < MAX_UNREAD_FACTS) {
    const next = open.find((one) => !asked.has(nameOf(one)));
    if (!next) break;
    const { relation, document } = next;
    const { title, address } = document;
    const passage = `# ${title}\n\n${document.text.slice(0, MAX_READ_CHARS)}`;
    const said = await inquiry.ask((context) =>
      roles.solve(`What is the ${relation} of ${title}?`, [passage], context),
    );
    asked.set(nameOf(next), said.request_hash);
    const fact = readFact(next, said.value);
    if (!fact) continue;
    known = withFacts(known, [fact]);
    const found = otherAnswer(candidate, known);
    const evidence = { relation, value: fact.value, document: address, ...found?.evidence };
    if (found) return gate.note({ name: 'unread_facts', verdict: 'fail', evidence }, 'not_unique');
    open = unreadFacts(candidate, known);
  }
  const request_hashes = [...asked.values()];
  gate.note(
    { name: 'unread_facts', verdict: 'pass', ...(asked.size > 0 && { request_hashes }) },
    'not_unique',
  );
};

/** Maximum facts of a candidate to look for. */
const MAX_UNREAD_FACTS = 20;

/** Maximum characters of a document to search for a fact. */
const MAX_READ_CHARS = 24_000;

function nameOf({ relation, document }: UnreadFact): string {
  return `${relation}\n${document.address}`;
}

const withTools: Check = async (gate, parts) => {
  const { tools } = parts.config.check;
  if (!tools) return;
  const { question, form } = gate.candidate;
  const { tally, answers, effort, wrong } = await measureWithTools(gate.candidate, tools.tries, parts);
  gate.measured(effort);
  // A fitting other answer is more specific than a missed right one. Wrong counts are ignored, since a solver that saw
  // too few things counts too few.
  for (const one of form.ask === 'count' ? [] : wrong) {
    const { tally: votes } = await parts.inquiry.votes(
      (context) => parts.roles.meetsClues(question, one, context),
      (meetsAll) => meetsAll,
    );
    gate.decide('alternatives', votes, { answer: one.answer });
    if (gate.dropped) return;
  }
  for (const name of ['solvable', 'hard'] as const) if (!gate.dropped) gate.decide(name, tally, { answers });
};

/** Ordered by cost. */
const checks: readonly Check[] = [
  byRules,
  readBack,
  closedBook,
  withEvidence,
  withoutHops,
  unread,
  oneSearch,
  withTools,
];

/** Share of right answers from passages; closed-book without any. */
async function solved(
  { candidate }: Gate,
  passages: readonly string[],
  tries: number,
  { roles, judge, inquiry }: CheckParts,
): Promise<Answered> {
  const all = await inquiry.tries(tries, (context) => roles.solve(candidate.question, passages, context));
  let passed = 0;
  for (const { value } of all) if (await isRight(candidate, value, judge, inquiry)) passed++;
  return { tally: tallyOf(all, passed), answers: all.map(({ value }) => value) };
}
