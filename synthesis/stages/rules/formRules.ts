import type { JsonObject } from '../../../base/json.ts';
import {
  type ChainStep,
  constantsOf,
  type Fact,
  isVariable,
  linksOf,
} from '../../../schemas/taskSynthesis.ts';
import { parseCalendarDate } from '../../../schemas/words/calendarDate.ts';
import { foldWords } from '../../../schemas/words/foldWords.ts';
import { parsePlainNumber } from '../../../schemas/words/plainNumber.ts';
import { depthsOf, evidenceOf } from '../form/evidence.ts';
import { relationKey, type Statement, termKey } from '../form/factIndex.ts';
import { answersOf, askedValues } from '../form/solutions.ts';
import { descriptionOf, sufficientParts } from '../form/subForms.ts';
import { type CandidateRule, type Examined, factProblem, said } from './examined.ts';

/** Relations that lead from a thing to another name of it. */
const identityRelation =
  /^(?:alias(?:es)?|also (?:called|known as|named)|a\.?k\.?a\.?|same as|synonyms?(?: of)?|(?:other|former|full|short) name|known as|called|named?|abbreviation|acronym)$/;

/** Finds a step to another name of the same thing, or one that needs no other page. */
function pseudoStep(examined: Examined): JsonObject | undefined {
  const { chain } = examined.candidate;
  const synonym = chain.find(
    ({ subject, relation, value }) =>
      termKey(subject) === termKey(value) || identityRelation.test(relationKey(relation)),
  );
  const found = synonym ?? stepOnOnePage(examined);
  return found && said(found);
}

/** Finds a depth step whose fact is cited from the same page as the next step. */
function stepOnOnePage({ candidate: { form, chain }, evidence }: Examined): ChainStep | undefined {
  const depth = depthsOf(form);
  const steps = form.triples.map((triple, at) => ({
    step: chain.find((fact) => isFactOf(fact, evidence()?.ofTriples[at])),
    ends: [triple[0], triple[2]],
    near: Math.min(...[triple[0], triple[2]].map((term) => depth.get(term) ?? Infinity)),
  }));
  const isPseudo = ({ step, ends, near }: (typeof steps)[number]) =>
    step?.op === 'depth' &&
    steps.some(
      (next) =>
        next.step?.document === step.document &&
        next.near === near - 1 &&
        next.ends.some((term) => ends.includes(term)),
    );
  return steps.find(isPseudo)?.step;
}

function isFactOf(fact: Fact, statement: Statement | undefined): boolean {
  return (
    statement?.subject === termKey(fact.subject) &&
    statement.value === termKey(fact.value) &&
    statement.relation === relationKey(fact.relation)
  );
}

/** Maximum words of an answer that is one value and not a sentence. */
const MAX_ANSWER_WORDS = 10;

/** More than one line, cell or sentence; `Donald E. Westlake` and `St. Andre` count as one. */
const several = /[\n;|]|(?<!\b\p{Lu}\p{L}{0,3})[.!?]\s+\p{Lu}|[!?]$/u;

const noValue =
  /^(?:yes|no|true|false|unknown|none|nothing|n\/?a|not (?:stated|given|known|mentioned)|various|several)$/i;

export function wrongShape({ candidate: { answers, chain, form } }: Examined): JsonObject | undefined {
  const answer = answers[0]!;
  const type = form.ask === 'count' ? 'number' : typeOf(answer, chain);
  const isTyped =
    type === 'number'
      ? parsePlainNumber(answer) !== undefined
      : type !== 'date' || parseCalendarDate(answer) !== undefined || /^\d{3,4}$/.test(answer);
  const words = foldWords(answer).length;
  const isOne = !several.test(answer) && !noValue.test(answer.trim());
  return isTyped && isOne && words > 0 && words <= MAX_ANSWER_WORDS ? undefined : { answer, type };
}

function typeOf(answer: string, chain: readonly Fact[]): string {
  const key = termKey(answer);
  return chain.find(({ value }) => termKey(value) === key)?.type ?? 'entity';
}

/**
 * Rules on a candidate's form, facts and answer, over all extracted facts and in order. They do not overlap: each
 * ignores problems that another one finds.
 */
export const formRules: readonly CandidateRule[] = [
  { name: 'quotes', reason: 'unsupported', find: wrongQuote },
  { name: 'answer_shape', reason: 'answer_shape', find: wrongShape },
  { name: 'cycle', reason: 'cycle', find: thingTwice },
  { name: 'pseudo_step', reason: 'pseudo_step', find: pseudoStep },
  { name: 'contradictions', reason: 'contradicted', find: otherValue },
  { name: 'answerable', reason: 'unanswerable', find: noAnswer },
  { name: 'links', reason: 'ambiguous_link', find: ambiguousLink },
  { name: 'unique', reason: 'not_unique', find: otherAnswer },
  { name: 'gold', reason: 'unsupported', find: wrongGold },
  { name: 'fewest_documents', reason: 'shortcut', find: shortcut },
  { name: 'clues', reason: 'over_determined', find: idleClue },
];

function wrongQuote({ candidate, documents }: Examined): JsonObject | undefined {
  for (const fact of candidate.chain) {
    const problem = factProblem(fact, documents);
    if (problem !== undefined) return { problem, ...said(fact) };
  }
  return undefined;
}

/** Finds a hidden thing or answer that occurs twice, or is named. */
function thingTwice(examined: Examined): JsonObject | undefined {
  const { form } = examined.candidate;
  const evidence = examined.evidence();
  if (!evidence) return undefined;
  const seen = new Set(constantsOf(form).map(termKey));
  for (const variable of [...linksOf(form), ...(form.ask === 'value' ? [form.asked] : [])]) {
    const key = evidence.values.get(variable)!;
    if (seen.has(key)) return { thing: nameOf(key, examined), variable };
    seen.add(key);
  }
  return undefined;
}

/** Finds another value of a single-valued relation. */
function otherValue({ candidate: { chain }, index }: Examined): JsonObject | undefined {
  for (const fact of chain) {
    const relation = relationKey(fact.relation);
    if (index.isManyValued(relation)) continue;
    const stated = index.matching(termKey(fact.subject), relation, undefined);
    const other = stated.find(({ value }) => value !== termKey(fact.value));
    if (other) return { ...said(fact), other: said(other.facts[0]!) };
  }
  return undefined;
}

function noAnswer(examined: Examined): JsonObject | undefined {
  return examined.evidence() ? undefined : { form: examined.candidate.form };
}

/** Finds a link whose description fits several things. */
function ambiguousLink(examined: Examined): JsonObject | undefined {
  const { candidate, reading } = examined;
  for (const link of linksOf(candidate.form)) {
    const fits = [...askedValues(descriptionOf(candidate.form, link), reading, 2)];
    if (fits.length > 1) return { link, fits: fits.map((key) => nameOf(key, examined)) };
  }
  return undefined;
}

/**
 * Finds a second answer with every link at its value, or an answer out of a list. Ambiguous links are another rule's.
 */
function otherAnswer(examined: Examined): JsonObject | undefined {
  const answers = examined.answers();
  if (answers.length > 1) return { answers: answers.map((key) => nameOf(key, examined)) };
  const { chain, form } = examined.candidate;
  const listed = chain.find(
    (fact) =>
      isListed(fact) &&
      form.triples.some(([, relation, value]) => isVariable(value) && relation === fact.relation),
  );
  return listed && said(listed);
}

/** True if a quote lists a value beside similar ones: `written by Daryl Hall with Janna Allen`. */
function isListed({ value, type, quote, many_valued }: Fact): boolean {
  if (type === 'number' || type === 'date') return false;
  const [before, after] = [quote.slice(0, quote.indexOf(value)), quote.split(value)[1] ?? ''];
  const joint = many_valued ? '(?:,|,? (?:and|with|&))' : ',? (?:and|with|&)';
  return (
    new RegExp(`\\p{Lu}\\S*?["”]?${joint} ["“]?$`, 'u').test(before) ||
    new RegExp(`^["”]?${joint} ["“]?\\p{Lu}`, 'u').test(after)
  );
}

/** Finds answers that differ from those of the facts, or of the candidate's own chain. */
function wrongGold(examined: Examined): JsonObject | undefined {
  const { candidate, cited, evidence, answers } = examined;
  if (!evidence()) return undefined;
  const [first, ...others] = candidate.answers.map(termKey);
  const given = answersOf(candidate.form, cited);
  const isGiven = given.includes(first!) && answers().includes(first!);
  if (isGiven && others.every((key) => key === first)) return undefined;
  return { answers: candidate.answers, given: given.map((key) => nameOf(key, examined)) };
}

/** Finds answers that need another number of documents than declared. */
function shortcut(examined: Examined): JsonObject | undefined {
  const { candidate, reading, evidence } = examined;
  const whole = evidence();
  if (!whole) return undefined;
  const { hops, form } = candidate;
  if (whole.documents !== hops) return { hops, documents: whole.documents };
  for (const part of partsThatSuffice(examined)) {
    const found = evidenceOf(part, reading);
    if (found && found.documents < hops) return { hops, documents: found.documents, clues: part.triples };
  }
  const tie = hops > 1 && form.ask === 'value' ? directTie(examined) : undefined;
  return tie && { hops, documents: 1, fact: tie };
}

/** Finds a stated fact outside of the form that connects a name in the question with the answer. */
function directTie({ candidate: { form }, index, evidence }: Examined): JsonObject | undefined {
  const rests = evidence()!;
  const answer = rests.values.get(form.asked)!;
  const named = new Set(constantsOf(form).map(termKey));
  const isOwn = (one: unknown) => rests.statements.some((own) => own === one);
  const tie = index
    .about(answer)
    .find((one) => named.has(one.subject === answer ? one.value : one.subject) && !isOwn(one));
  return tie && said(tie.facts[0]!);
}

/** Finds a clue that is not needed for the answer with the same number of documents; with fewer it is a shortcut. */
function idleClue(examined: Examined): JsonObject | undefined {
  const { candidate, reading } = examined;
  let idle: JsonObject | undefined;
  for (const part of partsThatSuffice(examined)) {
    const found = evidenceOf(part, reading);
    if (found && found.documents < candidate.hops) return undefined;
    if (found) idle ??= { clues: part.triples };
  }
  return idle;
}

/** Skips ambiguous forms, whose parts say nothing. */
function* partsThatSuffice({ candidate: { form }, reading }: Examined) {
  if (answersOf(form, reading).length === 1) yield* sufficientParts(form, reading);
}

function nameOf(key: string, { index }: Examined): string {
  const [statement] = index.about(key);
  const fact = statement?.facts[0];
  return (statement?.subject === key ? fact?.subject : fact?.value) ?? key;
}
