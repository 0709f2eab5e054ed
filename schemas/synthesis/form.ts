import { z } from 'zod';

const variablePattern = /^\?[a-z][a-z0-9]*$/;

/** A name that stands for what is not said, such as `?x`. */
export const variableSchema = z.string().regex(variablePattern, 'a variable such as ?x');

const termSchema = z.string().min(1);

/** Subject, relation, value; subject and value are variables or what they are called. At least one is a variable. */
export const tripleSchema = z
  .tuple([termSchema, z.string().min(1), termSchema])
  .refine(([subject, , value]) => isVariable(subject) || isVariable(value), 'a triple with a variable');
export type Triple = z.infer<typeof tripleSchema>;

export function isVariable(term: string): boolean {
  return variablePattern.test(term);
}

/** Of two named things the one with the largest or smallest number, or the latest or earliest date. */
const compareSchema = z.strictObject({
  /** Stands for the one that wins. */
  variable: variableSchema,
  of: z.tuple([termSchema, termSchema]),
  /** Variable of the number or date that decides; a triple ties it to `variable`. */
  by: variableSchema,
  picks: z.enum(['largest', 'smallest']),
});

/** A form's shape alone. */
export const looseFormSchema = z.strictObject({
  triples: z.array(tripleSchema).min(1),
  /** What is asked for. */
  asked: variableSchema,
  /** `count`: how many values the asked variable has; `value`: the one that it has. */
  ask: z.enum(['value', 'count']).default('value'),
  /** Lowest and highest number, or year of a date, of a variable that stands for a blurred value. */
  ranges: z.record(variableSchema, z.tuple([z.number(), z.number()])).optional(),
  /** Variables that stand for a blurred name, of which the form says the class alone: they may have several values. */
  classes: z.array(variableSchema).optional(),
  compare: compareSchema.optional(),
});

/**
 * A formal question: all triples must hold at once. The question's words are written from it and read back into it; whether it
 * has one answer is decided on it.
 *
 * @see arXiv 2507.15061 (WebShaper), whose triples these are
 */
export const formSchema = looseFormSchema.superRefine((form, { addIssue }) => {
  const problem = formProblem(form);
  if (problem !== undefined) addIssue({ code: 'custom', message: problem });
});
export type Form = z.infer<typeof formSchema>;

/** The variables of a form's triples, in order of first use. */
export function variablesOf(form: Pick<Form, 'triples'>): string[] {
  return [...new Set(form.triples.flatMap(([subject, , value]) => [subject, value]).filter(isVariable))];
}

/** What the question may name: the constants of its triples and the two things that it compares, each once. */
export function constantsOf({ triples, compare }: Pick<Form, 'triples' | 'compare'>): string[] {
  const terms = triples.flatMap(([subject, , value]) => [subject, value]);
  return [...new Set([...terms.filter((term) => !isVariable(term)), ...(compare?.of ?? [])])];
}

/** Variables that stand for a link: hidden things that a solver must find on the way, each of which has one value. */
export function linksOf(form: Form): string[] {
  const other = namedVariables(form);
  return variablesOf(form).filter((variable) => !other.includes(variable));
}

/** The variables that a form names besides its triples. */
function namedVariables({
  asked,
  ranges = {},
  classes = [],
  compare,
}: z.infer<typeof looseFormSchema>): string[] {
  return [asked, ...Object.keys(ranges), ...classes, ...(compare ? [compare.variable, compare.by] : [])];
}

function formProblem(form: z.infer<typeof looseFormSchema>): string | undefined {
  const variables = variablesOf(form);
  const unknown = namedVariables(form).find((variable) => !variables.includes(variable));
  if (unknown !== undefined) return `expected a triple with ${unknown}`;
  if (form.compare?.variable === form.asked || form.compare?.by === form.asked) {
    return `expected compare to pick another variable than the asked one, ${form.asked}: its answer would be named`;
  }
  return isConnected(form.triples, form.asked)
    ? undefined
    : `expected every triple to be tied to ${form.asked}`;
}

function isConnected(triples: readonly Triple[], start: string): boolean {
  const reached = new Set([start]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const [subject, , value] of triples) {
      if (!reached.has(subject) && !reached.has(value)) continue;
      for (const term of [subject, value]) if (isVariable(term)) reached.add(term);
    }
  }
  return triples.every(([subject, , value]) => reached.has(subject) || reached.has(value));
}
