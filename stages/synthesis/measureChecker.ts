import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { RoleContext, SynthesisRoles } from '../../contract/synthesis.ts';
import { hashedShare } from '../../schemas/hashedShare.ts';
import type { Fact } from '../../schemas/synthesis/fact.ts';
import { type Form, formSchema } from '../../schemas/synthesis/form.ts';
import { sameForm } from './form/sameForm.ts';

/** How the role `check` did on questions whose faults are known. */
export interface CheckerMeasure {
  readonly model: string;
  /** Questions with a planted fault, and those of them that it found. */
  readonly faults: number;
  readonly found: number;
  /** Questions without one, and those that it let through. */
  readonly clean: number;
  readonly passed: number;
}

/** A form, and a question that asks it, or another one. */
interface Item {
  readonly form: Form;
  readonly question: string;
  readonly isFault: boolean;
}

/** Facts that items are made of: each gives a clean question and two with a fault. */
const MAX_FACTS = 12;

/**
 * Lets the role `check` read questions back whose words are ours: clean ones, and ones that ask for another relation or
 * thing than their form. What it was not measured on it is not trusted with.
 *
 * @throws UserError where it could not be asked, finds a smaller share of the faults than `minRecall`, or lets a smaller
 *   share of the clean ones through than half of it
 */
export async function measureChecker(
  facts: readonly Fact[],
  roles: SynthesisRoles,
  { seed, minRecall }: { readonly seed: number; readonly minRecall: number },
): Promise<CheckerMeasure> {
  const items = itemsOf(facts, seed);
  const relations = [...new Set(facts.map(({ relation }) => relation))].sort();
  let [model, found, passed] = ['', 0, 0];
  for (const { form, question, isFault } of items) {
    const asked = await readBack(question, relations, roles);
    model = asked.model;
    const isSame = asked.form !== undefined && sameForm(form, asked.form);
    if (isFault && !isSame) found++;
    if (!isFault && isSame) passed++;
  }
  const faults = items.filter(({ isFault }) => isFault).length;
  const measure = { model, faults, found, clean: items.length - faults, passed };
  if (found < faults * minRecall || passed < (measure.clean * minRecall) / 2)
    throw untrusted(measure, minRecall);
  return measure;
}

function untrusted({ model, faults, found, clean, passed }: CheckerMeasure, minRecall: number): UserError {
  return new UserError(
    `synthesize.roles.check: ${model} found ${found} of ${faults} planted faults (check.min_recall: ${minRecall}) and let ${passed} of ${clean} clean questions through (half of that share at least): its verdicts would be worth nothing; use a stronger model for synthesize.roles.check`,
  );
}

/** What the checker reads; what it can't be read from is as good as another form. */
async function readBack(
  question: string,
  relations: readonly string[],
  roles: SynthesisRoles,
): Promise<{ readonly model: string; readonly form: Form | undefined }> {
  // Stopping the run stops the calls behind it.
  const context: RoleContext = { signal: new AbortController().signal, taskId: 'checker', ask: 0 };
  try {
    const { model, value } = await roles.readBack(question, relations, context);
    return { model, form: value };
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    const { cause, message } = error.failure;
    if (cause === 'malformed_answer') return { model: 'the model', form: undefined };
    throw new UserError(
      `synthesize.roles.check could not be measured (${cause}: ${message}); fix it, then resume with the same command`,
      { cause: error },
    );
  }
}

function itemsOf(facts: readonly Fact[], seed: number): Item[] {
  const ranked = facts
    .map((fact) => ({
      fact,
      rank: hashedShare('checker', seed, JSON.stringify([fact.subject, fact.relation])),
    }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ fact }) => fact);
  return ranked.slice(0, MAX_FACTS).flatMap((fact) => {
    const otherRelation = ranked.find(({ relation }) => relation !== fact.relation)?.relation;
    const otherSubject = ranked.find(({ subject }) => subject !== fact.subject)?.subject;
    const next = facts.find(({ subject, relation }) => subject === fact.value && relation !== fact.relation);
    const path = [fact.relation, ...(next ? [next.relation] : [])];
    const form = formOf(fact.subject, path);
    const item = (subject: string, relations: readonly string[], isFault: boolean): Item => ({
      ...{ form, isFault },
      question: questionOf(subject, relations),
    });
    return [
      item(fact.subject, path, false),
      ...(otherRelation === undefined ? [] : [item(fact.subject, [otherRelation, ...path.slice(1)], true)]),
      ...(otherSubject === undefined ? [] : [item(otherSubject, path, true)]),
    ];
  });
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
