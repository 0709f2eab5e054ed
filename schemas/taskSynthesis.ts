import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';

const words = z.string().trim().min(1);

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

/** What a value is: the name of a thing that may have facts of its own, a number, a date, or other words. */
export const valueTypeSchema = z.enum(['entity', 'number', 'date', 'text']);
export type ValueType = z.infer<typeof valueTypeSchema>;

/** What a proposer says of a document: the rest of a fact is worked out. */
export const proposedFactSchema = z.strictObject({
  /** Name of what the fact is about, as the document writes it. */
  subject: words,
  /** Lower-case words for what the value is to the subject, such as `builder` or `year of publication`. */
  relation: words,
  value: words,
  type: valueTypeSchema,
  /** True if one subject may have several values: then another value is another answer, not a contradiction. */
  many_valued: z.boolean().optional(),
  /** Words of the document, to the letter, that state it. */
  quote: z.string().min(1),
});
export type ProposedFact = z.infer<typeof proposedFactSchema>;

/** One thing that a document states. */
export const factSchema = proposedFactSchema.extend({
  /** Beginning and end of the quote in the document's text, in UTF-16 code units; [-1, -1] if the text lacks it. */
  span: z.tuple([z.int(), z.int()]),
  /** Address of the document. */
  document: words,
  document_sha256: z.string(),
  /** Who proposed it: the request and the model; absent where nobody was asked. */
  request_hash: z.string().optional(),
  model: z.string().optional(),
});
export type Fact = z.infer<typeof factSchema>;

/** The roles that models play in synthesis. */
export const synthesisRoles = ['propose', 'link', 'write', 'check', 'solve'] as const;
export type SynthesisRole = (typeof synthesisRoles)[number];

/** How a form is made: one fact asked for, or one step more. */
export const operationNames = ['atomic', 'depth', 'intersect', 'compare', 'count', 'blur'] as const;
export const operationSchema = z.enum(operationNames);
export type Operation = z.infer<typeof operationSchema>;

/** One fact that the answer needs, with the operation that brought it in. */
export const chainStepSchema = factSchema.extend({ op: operationSchema });
export type ChainStep = z.infer<typeof chainStepSchema>;

/** A check that was made. One that was not made is absent: never `pass`. */
export const checkVerdictSchema = z.strictObject({
  /** The check's name, from the table of checks. */
  name: z.string(),
  verdict: z.enum(['pass', 'fail']),
  /** Of a check that asks a model: tries that came out as `name` asks about, of all that did not fail. */
  passed: z.int().nonnegative().optional(),
  tries: z.int().positive().optional(),
  request_hashes: z.array(z.string()).optional(),
  evidence: jsonObjectSchema.optional(),
});
export type CheckVerdict = z.infer<typeof checkVerdictSchema>;

/** What solving took, measured; absent where it was not. */
export const effortSchema = z.strictObject({
  /** Tool calls of the right try that needed fewest. */
  tool_calls: z.int().nonnegative().optional(),
  /** Its call, from 1, that first showed the answer. */
  first_seen_at: z.int().positive().optional(),
  /** True if one search by the question's own words shows the answer. */
  one_search: z.boolean().optional(),
  closed_book_pass_rate: z.number().min(0).max(1).optional(),
  tools_pass_rate: z.number().min(0).max(1).optional(),
});
export type Effort = z.infer<typeof effortSchema>;

/** What was paid for a candidate, its rejected rounds included. */
export const spentSchema = z.strictObject({
  calls: z.int().nonnegative(),
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type Spent = z.infer<typeof spentSchema>;

/** How a task came to be. A task carries it outside of its id. */
export const synthesisSchema = z.strictObject({
  version: z.literal(1),
  /** The run's seed. */
  seed: z.int(),
  /** SHA-256 over the hashes of all documents, in their order. */
  corpus_sha256: z.string(),
  /** Facts that its uniqueness was decided over. */
  facts: z.int().nonnegative(),
  form: formSchema,
  /** Hops: fewest documents whose stated facts give the answer. Not the interactions of a trajectory. */
  hops: z.int().positive(),
  /** Facts in solving order: from what the question names to the answer. */
  chain: z.array(chainStepSchema).min(1),
  checks: z.array(checkVerdictSchema),
  effort: effortSchema,
  spent: spentSchema,
});
export type Synthesis = z.infer<typeof synthesisSchema>;
