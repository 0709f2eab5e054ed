import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { isOfPlayer } from '../../schemas/failureCauses.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import { type Fact, type Form, formSchema } from '../../schemas/taskSynthesis.ts';
import type { CheckerMeasure } from '../records/tasksetManifest.ts';
import type { SynthesisRoles } from '../roles.ts';
import { Inquiry } from './askAbout.ts';
import { termKey } from './form/factIndex.ts';
import { isReadingOf } from './form/sameForm.ts';
import { isMajority } from './rules/askedRules.ts';

/** Relations that a reader of questions may choose from: more make its prompt long, and a good reading no less likely. */
export const MAX_RELATIONS = 24;

/**
 * The relations that are offered for reading a question back: the first of the needed ones, each once, then others of the
 * corpus from a place that is drawn by seed. Sorted, so that nothing tells which are the needed ones.
 *
 * @param all - The relations of the corpus, sorted: next to each other stand those that are alike
 */
export function offeredRelations(
  needed: readonly string[],
  all: readonly string[],
  draw: [number, string],
): string[] {
  const start = Math.floor(hashedShare('relations', ...draw) * all.length);
  const others = [...all.slice(start, start + MAX_RELATIONS), ...all.slice(0, MAX_RELATIONS)];
  return [...new Set([...needed, ...others])].slice(0, MAX_RELATIONS).sort();
}

/** One question to the checker: whether there is a fault, and by which model it is found. */
interface Item {
  readonly kind: 'reading' | 'answer';
  readonly isFault: boolean;
  readonly finds: (asking: Asking) => Promise<{ readonly isFound: boolean; readonly model: string }>;
}

interface Asking {
  readonly roles: SynthesisRoles;
  readonly inquiry: Inquiry;
  readonly relations: readonly string[];
}

/** Lowest share of planted faults that the checker finds before it is trusted. */
const MIN_RECALL = 0.9;

/** Facts that items are made of, each with and without faults. */
const MAX_FACTS = 12;

/**
 * Puts questions to the role `check` whose words are ours, as often as candidates': to read back clean ones, and ones that
 * ask for another relation or thing than their form; and whether an answer fits that is a second right one, or that of
 * another thing. What it was not measured on it is not trusted with.
 *
 * @throws UserError where it could not be asked, or of either kind finds a smaller share of the faults than 90%, or lets a
 *   smaller share of the clean ones through than half of it
 */
export async function measureChecker(
  facts: readonly Fact[],
  roles: SynthesisRoles,
  seed: number,
): Promise<CheckerMeasure> {
  // Stopping the run stops the calls behind it.
  const { signal } = new AbortController();
  const inquiry = new Inquiry('checker', nothingSpent, { signal, stage: 'check' });
  const relations = [...new Set(facts.map(({ relation }) => relation))].sort();
  const said: (Pick<Item, 'kind' | 'isFault'> & { model: string | undefined; isRight: boolean })[] = [];
  for (const { kind, isFault, finds } of itemsOf(facts, seed)) {
    const asked = await answered(() => finds({ roles, inquiry, relations }));
    said.push({ kind, isFault, model: asked?.model, isRight: (asked?.isFound ?? true) === isFault });
  }
  const model = said.findLast((one) => one.model)?.model ?? '';
  const kinds = Object.values(Object.groupBy(said, ({ kind }) => kind));
  const untrustedKind = kinds
    .map((some) => measureOf(model, some))
    .find(
      ({ faults, found, clean, passed }) => found < faults * MIN_RECALL || passed < (clean * MIN_RECALL) / 2,
    );
  if (untrustedKind) throw untrusted(untrustedKind);
  return measureOf(model, said);
}

const nothingSpent = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };

function measureOf(
  model: string,
  said: readonly (Pick<Item, 'isFault'> & { readonly isRight: boolean })[],
): CheckerMeasure {
  const [faults, clean] = [true, false].map((wanted) => said.filter(({ isFault }) => isFault === wanted));
  const right = (some: typeof said = []) => some.filter(({ isRight }) => isRight).length;
  return { model, faults: faults!.length, found: right(faults), clean: clean!.length, passed: right(clean) };
}

function untrusted({ model, faults, found, clean, passed }: CheckerMeasure): UserError {
  return new UserError(
    `synthesize.roles.check: ${model} found ${found} of ${faults} planted faults (at least ${MIN_RECALL * 100}%) and let ${passed} of ${clean} clean questions through (half of that share at least): its verdicts would be worth nothing; use a stronger model for synthesize.roles.check`,
  );
}

/** What the checker says; undefined where it refuses, or its words can't be read: they let nothing through. */
async function answered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    const { cause, message } = error.failure;
    if (isOfPlayer(cause)) return undefined;
    throw new UserError(
      `synthesize.roles.check could not be measured (${cause}: ${message}); fix it, then resume with the same command`,
      { cause: error },
    );
  }
}

function itemsOf(facts: readonly Fact[], seed: number): Item[] {
  const rank = (fact: Fact) => hashedShare('checker', seed, JSON.stringify([fact.subject, fact.relation]));
  const ranked = facts
    // Of a thing's own name nobody would ask.
    .filter(({ subject, value }) => termKey(subject) !== termKey(value))
    .map((fact) => ({ fact, rank: rank(fact) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ fact }) => fact);
  return ranked
    .slice(0, MAX_FACTS)
    .flatMap((fact) => [...readings(fact, ranked), ...secondAnswers(fact, ranked)]);
}

/** Questions to read back, over two facts where one leads on from the other. */
function readings(fact: Fact, facts: readonly Fact[]): Item[] {
  const { subject, relation, value } = fact;
  const next = facts.find((one) => one.subject === value && one.relation !== relation);
  const path = [relation, ...(next ? [next.relation] : [])];
  const form = formOf(subject, path);
  const reading = (about: string, words: readonly string[], isFault: boolean): Item => ({
    ...{ kind: 'reading', isFault },
    finds: async ({ roles, inquiry, relations }) => {
      const question = questionOf(about, words);
      const offered = offeredRelations([...path, ...words], relations, [0, question]);
      const { tally, last } = await inquiry.votes(
        (context) => roles.readBack(question, offered, context),
        (read) => isReadingOf(form, read, question),
      );
      return { isFound: !isMajority(tally), model: last.model };
    },
  });
  const other = facts.find((one) => one.relation !== relation);
  const another = facts.find((one) => one.subject !== subject);
  return [
    reading(subject, path, false),
    ...(other ? [reading(subject, [other.relation, ...path.slice(1)], true)] : []),
    ...(another ? [reading(another.subject, path, true)] : []),
  ];
}

/** An answer that is right as well, which is the fault to be found, and the answer for another thing. */
function secondAnswers({ subject, relation, value }: Fact, facts: readonly Fact[]): Item[] {
  const rival = facts.find(
    (one) => one.relation === relation && one.subject !== subject && one.value !== value,
  );
  if (!rival) return [];
  const question = questionOf(subject, [relation]);
  const answering = (about: string, isFault: boolean): Item => ({
    ...{ kind: 'answer', isFault },
    finds: async ({ roles, inquiry }) => {
      const shown = [`# ${subject}\n\n${relation} | ${value}`, `# ${about}\n\n${relation} | ${rival.value}`];
      const { tally, last } = await inquiry.votes(
        (context) => roles.meetsClues(question, { answer: rival.value, shown }, context),
        (meetsAll) => meetsAll,
      );
      return { isFound: isMajority(tally), model: last.model };
    },
  });
  return [answering(subject, true), answering(rival.subject, false)];
}

/** A chain of relations from a named thing, such as the founder of the capital of Lindrey. */
function formOf(subject: string, relations: readonly string[]): Form {
  const variable = (at: number) => (at === relations.length - 1 ? '?a' : `?x${at}`);
  const triples = relations.map((relation, at) => [
    at === 0 ? subject : variable(at - 1),
    relation,
    variable(at),
  ]);
  return formSchema.parse({ triples, asked: '?a' });
}

function questionOf(subject: string, relations: readonly string[]): string {
  return `What is ${relations.toReversed().reduce((words, relation) => `${words}the ${relation} of `, '')}${subject}?`;
}
