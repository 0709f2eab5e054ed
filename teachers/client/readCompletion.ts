import { z } from 'zod';
import type { JsonValue } from '../../base/json.ts';
import type { Recount } from '../../contract/calls.ts';
import { WithheldAnswer } from '../../contract/errors.ts';
import { type ChatToolCall, reportedTokensSchema, type Usage } from '../../schemas/chat.ts';
import { UnusableBody } from './endpointFault.ts';
import type { OutgoingRequest } from './outgoingRequest.ts';
import { plausibleUsage } from './plausibleUsage.ts';

const argumentsSchema = z.union([
  z.string(),
  // Some servers send the object itself.
  z.record(z.string(), z.unknown()).transform((value) => JSON.stringify(value)),
]);

/** Usage reported by an endpoint. Lenient: an answer is paid for in any case. */
export const usageWireSchema = z
  .object({
    prompt_tokens: reportedTokensSchema,
    completion_tokens: reportedTokensSchema,
    total_tokens: reportedTokensSchema,
    // DeepSeek's name for cached_tokens.
    prompt_cache_hit_tokens: reportedTokensSchema,
    prompt_tokens_details: z.object({ cached_tokens: reportedTokensSchema }).nullish().catch(null),
  })
  .nullish()
  .catch(null);

/** Parsed part of a chat completion; servers add and omit fields. */
const completionSchema = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                id: z.string().catch('call'),
                function: z.object({ name: z.string(), arguments: argumentsSchema }),
              }),
            )
            .nullish(),
        }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: usageWireSchema,
});

/** A chat completion with defaults for optional fields. */
export interface Completion {
  readonly model: string | undefined;
  readonly content: string | null;
  readonly reasoning: string | null;
  readonly tool_calls: readonly ChatToolCall[];
  readonly finish_reason: string | null;
  readonly usage: Usage;
}

/**
 * Reads an answer with status 200.
 * @param recounted - Told when the usage is our own count.
 * @throws UnusableBody when it is not a chat completion, which another attempt may give.
 * @throws WithheldAnswer `model_refused` or `answer_truncated`.
 */
export function readCompletion(
  answer: JsonValue,
  request: OutgoingRequest,
  recounted: (recount: Recount) => void,
): Completion {
  const parsed = completionSchema.safeParse(answer);
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new UnusableBody(
      `the endpoint answered 200 with JSON that is not a chat completion (at "${where}")`,
    );
  }
  const read = flatten(parsed.data);
  const usage = plausibleUsage({ request, said: wordsOf(read), usage: read.usage, recounted });
  const completion = { ...read, usage };
  throwIfUnanswered(completion, parsed.data.choices[0]?.message.refusal ?? undefined);
  return completion;
}

function flatten(wire: z.infer<typeof completionSchema>): Completion {
  const choice = wire.choices[0]!;
  const { content, reasoning_content, reasoning, tool_calls } = choice.message;
  return {
    model: wire.model ?? undefined,
    content: content ?? null,
    reasoning: reasoning_content || reasoning || null,
    tool_calls: (tool_calls ?? []).map((call) => ({ ...call, type: 'function' as const })),
    finish_reason: choice.finish_reason ?? null,
    usage: usageOf(wire.usage),
  };
}

/** All billed text of the model, refusals excluded. */
function wordsOf({ content, reasoning, tool_calls }: Completion): string {
  const calls = tool_calls.map(({ function: { name, arguments: input } }) => `${name} ${input}`);
  return [content ?? '', reasoning ?? '', ...calls].join('\n');
}

/** Reported usage. Some servers (xAI, Gemini) bill thoughts like the answer but count them only in the total. */
export function usageOf(wire: z.infer<typeof usageWireSchema>): Usage {
  const {
    prompt_tokens = 0,
    completion_tokens = 0,
    total_tokens = 0,
    prompt_cache_hit_tokens = 0,
  } = wire ?? {};
  return {
    prompt_tokens,
    // The total is useless without the prompt's count.
    completion_tokens:
      prompt_tokens > 0 ? Math.max(completion_tokens, total_tokens - prompt_tokens) : completion_tokens,
    cached_tokens: wire?.prompt_tokens_details?.cached_tokens || prompt_cache_hit_tokens,
  };
}

function throwIfUnanswered(completion: Completion, refusal: string | undefined): void {
  const { finish_reason, content, usage } = completion;
  const evidence = { finish_reason, content_start: content?.slice(0, 200).toWellFormed() ?? null, usage };
  if (refusal) {
    throw new WithheldAnswer('model_refused', 'the model refused to answer', {
      ...evidence,
      refusal: refusal.slice(0, 500).toWellFormed(),
    });
  }
  if (finish_reason === 'content_filter') {
    throw new WithheldAnswer('model_refused', "the answer was withheld by the endpoint's filter", evidence);
  }
  if (finish_reason === 'length') {
    const message = 'the answer stopped at the length limit; raise sampling.max_tokens or the context';
    throw new WithheldAnswer('answer_truncated', message, evidence);
  }
}
