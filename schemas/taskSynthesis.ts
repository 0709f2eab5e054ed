import { z } from 'zod';
import { jsonObjectSchema } from '../base/json.ts';

const words = z.string().trim().min(1);

const variablePattern = /^\?[a-z][a-z0-9]*$/;

/** Placeholder for an unnamed thing, such as `?x`. */
export const variableSchema = z.string().regex(variablePattern, 'a variable such as ?x');

const termSchema = z.string().min(1);

/** Subject, relation, value; subject and value are variables or names, at least one a variable. */
export const tripleSchema = z
  .tuple([termSchema, z.string().min(1), termSchema])
  .refine(([subject, , value]) => isVariable(subject) || isVariable(value), 'a triple with a variable');
export type Triple = z.infer<typeof tripleSchema>;

export function isVariable(term: string): boolean {
  return variablePattern.test(term);
}

/** Selects one of two named things by the larger or smaller number, or the later or earlier date. */
const compareSchema = z.strictObject({
  /** Variable of the winner. */
  variable: variableSchema,
  of: z.tuple([termSchema, termSchema]),
  /** Variable of the deciding number or date; a triple ties it to `variable`. */
  by: variableSchema,
  picks: z.enum(['largest', 'smallest']),
});

/** Form without cross-field checks. */
export const looseFormSchema = z.strictObject({
  triples: z.array(tripleSchema).min(1),
  /** Variable asked for. */
  asked: variableSchema,
  /** `count`: the number of values of the asked variable; `value`: its single value. */
  ask: z.enum(['value', 'count']).default('value'),
  /** Minimum and maximum number, or year of a date, of a variable that replaces a blurred value. */
  ranges: z.record(variableSchema, z.tuple([z.number(), z.number()])).optional(),
  /** Variables that replace a blurred name; the form gives only their class, so they may have several values. */
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

/** Names the question may use: constants of its triples and both compared things, each once. */
export function constantsOf({ triples, compare }: Pick<Form, 'triples' | 'compare'>): string[] {
  const terms = triples.flatMap(([subject, , value]) => [subject, value]);
  return [...new Set([...terms.filter((term) => !isVariable(term)), ...(compare?.of ?? [])])];
}

/** Link variables: hidden things that a solver must find on the way, each with one value. */
export function linksOf(form: Form): string[] {
  const other = namedVariables(form);
  return variablesOf(form).filter((variable) => !other.includes(variable));
}

/** Variables that a form names outside its triples. */
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

/** Type of a value: name of a thing that may have facts of its own, number, date, or other words. */
export const valueTypeSchema = z.enum(['entity', 'number', 'date', 'text']);
export type ValueType = z.infer<typeof valueTypeSchema>;

/** Fact as a proposer states it; the other fields are derived. */
export const proposedFactSchema = z.strictObject({
  subject: words,
  /** Lower-case noun for the value's role, such as `builder` or `year of publication`. */
  relation: words,
  value: words,
  type: valueTypeSchema,
  /** True if one subject may have several values; another value is then another answer, not a contradiction. */
  many_valued: z.boolean().optional(),
  /** Verbatim quote of the document that states the fact. */
  quote: z.string().min(1),
});
export type ProposedFact = z.infer<typeof proposedFactSchema>;

/** One fact stated by a document. */
export const factSchema = proposedFactSchema.extend({
  /** Start and end of the quote in the document, in UTF-16 code units; [-1, -1] if the document lacks it. */
  span: z.tuple([z.int(), z.int()]),
  document: words,
  document_sha256: z.string(),
  /** Request and model that proposed it; absent if no model was asked. */
  request_hash: z.string().optional(),
  model: z.string().optional(),
});
export type Fact = z.infer<typeof factSchema>;

/** Model roles in synthesis. */
export const synthesisRoles = ['propose', 'link', 'write', 'check', 'solve'] as const;
export type SynthesisRole = (typeof synthesisRoles)[number];

/** Operations that build a form: one fact asked for, or one more step. */
export const operationNames = ['atomic', 'depth', 'intersect', 'compare', 'count', 'blur'] as const;
export const operationSchema = z.enum(operationNames);
export type Operation = z.infer<typeof operationSchema>;

/** A fact that the answer needs, with the operation that added it. */
export const chainStepSchema = factSchema.extend({ op: operationSchema });
export type ChainStep = z.infer<typeof chainStepSchema>;

/** Result of a check. A check that was not run is absent, never `pass`. */
export const checkVerdictSchema = z.strictObject({
  /** For checks that ask a model: tries that passed, of all that did not fail. */
  name: z.string(),
  verdict: z.enum(['pass', 'fail']),
  /** Of a check that asks a model: tries that came out as `name` asks about, of all that did not fail. */
  passed: z.int().nonnegative().optional(),
  tries: z.int().positive().optional(),
  request_hashes: z.array(z.string()).optional(),
  evidence: jsonObjectSchema.optional(),
});
export type CheckVerdict = z.infer<typeof checkVerdictSchema>;

/** Measured effort of solving; absent if not measured. */
export const effortSchema = z.strictObject({
  /** Minimum tool calls of a correct try. */
  tool_calls: z.int().nonnegative().optional(),
  /** Index, from 1, of its first call that showed the answer. */
  first_seen_at: z.int().positive().optional(),
  /** True if a single search with the question's words shows the answer. */
  one_search: z.boolean().optional(),
  closed_book_pass_rate: z.number().min(0).max(1).optional(),
  tools_pass_rate: z.number().min(0).max(1).optional(),
});
export type Effort = z.infer<typeof effortSchema>;

/** Cost of a candidate, rejected rounds included. */
export const spentSchema = z.strictObject({
  calls: z.int().nonnegative(),
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  cost_usd: z.number().nonnegative(),
});
export type Spent = z.infer<typeof spentSchema>;

/** Origin of a synthesised task. Not part of the task's id. */
export const synthesisSchema = z.strictObject({
  version: z.literal(1),
  seed: z.int(),
  /** SHA-256 over the hashes of all documents in order. */
  corpus_sha256: z.string(),
  /** Number of facts over which uniqueness was decided. */
  facts: z.int().nonnegative(),
  form: formSchema,
  /** Hops: minimum documents whose stated facts give the answer. Not the interactions of a trajectory. */
  hops: z.int().positive(),
  /** Facts in solving order, from the names in the question to the answer. */
  chain: z.array(chainStepSchema).min(1),
  checks: z.array(checkVerdictSchema),
  effort: effortSchema,
  spent: spentSchema,
});
export type Synthesis = z.infer<typeof synthesisSchema>;
