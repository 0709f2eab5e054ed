import { z } from 'zod';
import { type JsonObject, jsonObjectSchema, jsonValueSchema } from '../../base/json.ts';
import { reportedTokensSchema, reportedUsageSchema } from '../chat.ts';
import { searchProviderSchema } from '../config/tools/webSearch.ts';
import { failureCauseSchema } from '../failureCauses.ts';
import { withheldPartsSchema } from '../outcome.ts';
import { agentCallEventSchema } from '../trace.ts';

const optionalText = z.string().nullish();
const callShape = agentCallEventSchema.shape;

/** A page that a search found. */
export const foundPageSchema = z.object({
  title: z.string(),
  link: z.string(),
  snippet: optionalText,
  date: optionalText,
  source: optionalText,
});

/** What is kept of a web search as the tool's raw answer: who was asked what, and what was found. When stands beside it. */
export const keptSearchSchema = z.object({
  provider: searchProviderSchema,
  query: z.string(),
  /** Results that were asked for. */
  num: z.int().positive(),
  /** Found pages, best first; absent where the query was refused. */
  organic: z.array(foundPageSchema).optional(),
  /** Why the provider does not take the query. */
  refused: z.string().optional(),
});

export type KeptSearch = z.infer<typeof keptSearchSchema>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal');

/** What a model said. Its cost is left out: prices are the configuration's. */
export const cachedModelAnswerSchema = z.object({
  model: callShape.model,
  content: callShape.content,
  reasoning: callShape.reasoning,
  tool_calls: callShape.tool_calls,
  finish_reason: callShape.finish_reason,
  usage: reportedUsageSchema,
  /** Of everything that shaped the answer; addresses and keys stay out of it. */
  request_hash: callShape.request_hash,
  response_format: callShape.response_format,
});

/** What a model went on with. Its cost is left out, as with {@link cachedModelAnswerSchema}. */
export const cachedCompletionSchema = z.object({
  model: callShape.model,
  /** As it came: servers leave the stop text out, or add what else its last token holds. */
  text: z.string(),
  finish_reason: callShape.finish_reason,
  /** The stop text that ended it, null for another end; absent where the server does not say. */
  stop: z.string().nullable().optional(),
  /** Tokens of the prompt as the server counted them; 0 where it did not. */
  prompt_tokens: reportedTokensSchema,
  usage: reportedUsageSchema,
  /** As with {@link cachedModelAnswerSchema}. */
  request_hash: callShape.request_hash,
});

/** That a model refused, was kept from answering by a filter, or ran into the length limit. Its cost is left out. */
export const cachedWithheldAnswerSchema = z.object({
  withheld: z.object({
    cause: failureCauseSchema,
    message: z.string(),
    retryable: z.boolean(),
    evidence: withheldPartsSchema,
  }),
});

/** What a tool gave back. */
export const cachedToolAnswerSchema = z.object({ observation: z.string(), raw: jsonValueSchema });

/** What a server says of a tool of its own; the models that call it are told so. */
export const cachedDefinitionSchema = z.object({ description: z.string(), parameters: jsonObjectSchema });

/** That an endpoint takes no offer of tools, in the words in which it first said so. */
export const cachedFindingSchema = z.object({ takes_no_tools: z.string() });

/** A model's answers are told apart by what they hold. */
function modelAnswerSchemaOf(answer: JsonObject) {
  if ('withheld' in answer) return cachedWithheldAnswerSchema;
  return 'text' in answer ? cachedCompletionSchema : cachedModelAnswerSchema;
}

const answerSchemas = {
  tool: cachedToolAnswerSchema,
  finding: cachedFindingSchema,
  definition: cachedDefinitionSchema,
};

/**
 * An answer of `cache.sqlite`, and one line of what `coa-distill cache export` writes.
 *
 * | kind | `name` | `answer` |
 * |---|---|---|
 * | `model` | the model, as it was asked for | {@link cachedModelAnswerSchema}, {@link cachedCompletionSchema} or {@link cachedWithheldAnswerSchema} |
 * | `tool` | the tool | {@link cachedToolAnswerSchema} |
 * | `finding` | the model | {@link cachedFindingSchema} |
 * | `definition` | the tool | {@link cachedDefinitionSchema} |
 */
export const cachedAnswerSchema = z
  .strictObject({
    kind: z.enum(['model', 'tool', 'finding', 'definition']),
    /** SHA-256 of everything that shapes the answer except who gives it; with `provider` what it is found under. */
    request: sha256,
    /** Who answered: an endpoint's or service's address without user, password and query; `local` on this machine. */
    provider: z.string(),
    name: z.string(),
    /** Which of the task's equal requests it answers, from 0. */
    sample: z.int().nonnegative(),
    /** The task that asked first. */
    task_id: z.string(),
    /** When it was stored, ISO 8601. */
    created_at: z.iso.datetime(),
    answer: jsonObjectSchema,
  })
  .superRefine(({ kind, answer }, context) => {
    const schema = kind === 'model' ? modelAnswerSchemaOf(answer) : answerSchemas[kind];
    for (const { path, message } of schema.safeParse(answer).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: ['answer', ...path], message });
    }
  });
export type CachedAnswer = z.infer<typeof cachedAnswerSchema>;
