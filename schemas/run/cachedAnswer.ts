import { z } from 'zod';
import { type JsonObject, jsonObjectSchema, jsonValueSchema } from '../../base/json.ts';
import { reportedTokensSchema, reportedUsageSchema } from '../chat.ts';
import { searchProviderSchema } from '../config/tools/webSearch.ts';
import { failureCauseSchema } from '../failureCauses.ts';
import { withheldPartsSchema } from '../outcome.ts';
import { agentCallEventSchema } from '../trace.ts';

const optionalText = z.string().nullish();
const callShape = agentCallEventSchema.shape;

/** A page found by a search. */
export const foundPageSchema = z.object({
  title: z.string(),
  link: z.string(),
  snippet: optionalText,
  date: optionalText,
  source: optionalText,
});

/** Stored raw answer of a web search: provider, query and results. The time is stored separately. */
export const keptSearchSchema = z.object({
  provider: searchProviderSchema,
  query: z.string(),
  /** Requested number of results. */
  num: z.int().positive(),
  /** Found pages, best first; absent for a refused query. */
  organic: z.array(foundPageSchema).optional(),
  /** Provider's reason for refusing the query. */
  refused: z.string().optional(),
});

export type KeptSearch = z.infer<typeof keptSearchSchema>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hexadecimal');

/** Stored model answer, without its cost: prices come from the configuration. */
export const cachedModelAnswerSchema = z.object({
  model: callShape.model,
  content: callShape.content,
  reasoning: callShape.reasoning,
  tool_calls: callShape.tool_calls,
  finish_reason: callShape.finish_reason,
  usage: reportedUsageSchema,
  /** Hash of everything that affected the answer; excludes addresses and keys. */
  request_hash: callShape.request_hash,
  response_format: callShape.response_format,
});

/** Stored continuation of a model, without its cost, as with {@link cachedModelAnswerSchema}. */
export const cachedCompletionSchema = z.object({
  model: callShape.model,
  /** Raw text: servers omit the stop text, or add the rest of its last token. */
  text: z.string(),
  finish_reason: callShape.finish_reason,
  /** Stop text that ended it, null for another end; absent if not reported. */
  stop: z.string().nullable().optional(),
  /** Prompt tokens by the server's count; 0 if not reported. */
  prompt_tokens: reportedTokensSchema,
  usage: reportedUsageSchema,
  /** As with {@link cachedModelAnswerSchema}. */
  request_hash: callShape.request_hash,
});

/** Stored refusal, filtered or truncated answer of a model, without its cost. */
export const cachedWithheldAnswerSchema = z.object({
  withheld: z.object({
    cause: failureCauseSchema,
    message: z.string(),
    retryable: z.boolean(),
    evidence: withheldPartsSchema,
  }),
});

/** Stored result of a tool. */
export const cachedToolAnswerSchema = z.object({ observation: z.string(), raw: jsonValueSchema });

/** Stored definition of a server's tool, shown to the models that call it. */
export const cachedDefinitionSchema = z.object({ description: z.string(), parameters: jsonObjectSchema });

/** Stored fact that an endpoint supports no tools, in its first words. */
export const cachedFindingSchema = z.object({ takes_no_tools: z.string() });

/** Selects the schema of a model's answer by its content. */
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
    /** SHA-256 of everything that affects the answer except its provider; with `provider` the key of the entry. */
    request: sha256,
    /** Provider: an endpoint's or service's address without user, password and query; `local` on this machine. */
    provider: z.string(),
    name: z.string(),
    /** Index among the task's equal requests, from 0. */
    sample: z.int().nonnegative(),
    /** First task that asked. */
    task_id: z.string(),
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
