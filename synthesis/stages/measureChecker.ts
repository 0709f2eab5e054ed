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

/** Maximum relations offered for reading a question back; more make the prompt long without better readings. */
export const MAX_RELATIONS = 24;

/**
 * Relations offered for reading a question back: the needed ones first, then others from a position drawn by seed. The
 * result is sorted, so that the needed ones do not stand out.
 *
 * @param all - Sorted relations of the corpus; similar ones are adjacent
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

/** Test question for the checker, with its known fault, if any. */
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

/** Minimum share of planted faults that a trusted checker finds. */
const MIN_RECALL = 0.9;

/** Maximum facts used for test questions, each with and without faults. */
const MAX_FACTS = 12;

/**
 * Tests the role `check` with generated questions, as often as with candidates: reading back clean questions and ones
 * that ask for another relation or thing than their form, and judging second answers, right or about another thing.
 *
 * @throws UserError if it could not be asked, finds less than 90% of either kind of fault, or accepts less than half of
 * that share of the clean ones
 */
export async function measureChecker(
  facts: readonly Fact[],
  roles: SynthesisRoles,
  seed: number,
): Promise<CheckerMeasure> {
  // Never aborted here: stopping the run aborts the calls themselves.
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

/** Answer of the checker; undefined for a refused or unreadable one, which accepts nothing. */
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
    // Excludes the thing's own name, which makes no question.
    .filter(({ subject, value }) => termKey(subject) !== termKey(value))
    .map((fact) => ({ fact, rank: rank(fact) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ fact }) => fact);
  return ranked
    .slice(0, MAX_FACTS)
    .flatMap((fact) => [...readings(fact, ranked), ...secondAnswers(fact, ranked)]);
}

/** Questions to read back, over two connected facts. */
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

/** A second right answer, which is the fault to find, and the answer about another thing. */
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

/** Chain of relations from a named thing, such as the founder of the capital of Lindrey. */
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
