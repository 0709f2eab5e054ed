import { z } from 'zod';
import { contentId } from '../../base/ids.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Recount } from '../../contract/calls.ts';
import { WithheldAnswer } from '../../contract/errors.ts';
import type { CompletionAnswer, CompletionModel, CompletionRequest } from '../../contract/textModels.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import type { ChatModelOptions } from './createChatModel.ts';
import type { EndpointWire } from './createEndpointCall.ts';
import { createRetryingSend } from './createRetryingSend.ts';
import { UnusableBody } from './endpointFault.ts';
import { samplingMembers } from './meteredCall.ts';
import type { OutgoingRequest } from './outgoingRequest.ts';
import { plausibleUsage } from './plausibleUsage.ts';
import { usageOf, usageWireSchema } from './readCompletion.ts';

/** Creates a client of `/completions`, and of continued chats, with the retries and limits of chat models. */
export function createCompletionModel(options: ChatModelOptions): CompletionModel {
  const { model, capabilities, endpoint } = options;
  const sendBy = (wire: EndpointWire<WireAnswer>) =>
    createRetryingSend({ ...options, wire, dispatcher: capabilities.dispatcher });
  const send = { prompt: sendBy(wires.prompt), messages: sendBy(wires.messages) };
  return {
    model,
    async complete(request, signal, scope) {
      const body = requestBody(model, request);
      const request_hash = contentId('request', body);
      const sendIt = send['prompt' in request.from ? 'prompt' : 'messages'];
      const answer = await sendIt(body, request_hash, signal, scope);
      const cost_usd = tokenCostUsd(answer.usage, endpoint.price);
      return { ...answer, model: answer.model ?? model, cost_usd, request_hash };
    },
  };
}

function requestBody(model: string, { from, stop, sampling, fields }: CompletionRequest): JsonObject {
  return { model, ...(from as unknown as JsonObject), stop, ...samplingMembers(model, sampling), ...fields };
}

type WireAnswer = Omit<CompletionAnswer, 'model' | 'cost_usd' | 'request_hash'> & {
  readonly model: string | undefined;
};

/** Turns are continued as a chat, texts and ids directly. */
const wires: Readonly<Record<'prompt' | 'messages', EndpointWire<WireAnswer>>> = {
  prompt: { path: '/completions', read: readAnswer },
  messages: { path: '/chat/completions', read: readAnswer },
};

/**
 * Parsed part of an answer; vLLM's `stop_reason` and SGLang's `matched_stop` give the text or token that ended it.
 */
const answerSchema = z.object({
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        text: z.string().optional(),
        message: z.object({ content: z.string().nullish() }).optional(),
        finish_reason: z.string().nullish(),
        stop_reason: z.union([z.string(), z.number()]).nullish(),
        matched_stop: z.union([z.string(), z.number()]).nullish(),
      }),
    )
    .min(1),
  usage: usageWireSchema,
});

/** Finish reasons of vLLM, SGLang and gateways for an aborted answer. */
const brokenOff: ReadonlySet<string> = new Set(['abort', 'error']);

/**
 * Reads an answer with status 200.
 * @throws UnusableBody when it is not a completion; RecordFailure (`model_refused`) when a filter withheld it
 */
function readAnswer(
  answer: JsonValue,
  request: OutgoingRequest,
  recounted: (recount: Recount) => void,
): WireAnswer {
  const parsed = answerSchema.safeParse(answer);
  const choice = parsed.data?.choices[0];
  const text = choice?.text ?? choice?.message?.content ?? (choice?.message ? '' : undefined);
  if (!parsed.success || !choice || text === undefined) {
    const where = parsed.error?.issues[0]?.path.join('.') ?? 'choices.0.text';
    throw new UnusableBody(`the endpoint answered 200 with JSON that is not a completion (at "${where}")`);
  }
  const reported = usageOf(parsed.data.usage);
  const usage = plausibleUsage({ request, said: text, usage: reported, recounted });
  const finish_reason = choice.finish_reason ?? null;
  if (finish_reason === 'content_filter') {
    const message = "the answer was withheld by the endpoint's filter";
    throw new WithheldAnswer('model_refused', message, { finish_reason, usage });
  }
  if (finish_reason !== null && brokenOff.has(finish_reason)) {
    throw new UnusableBody(`the endpoint broke the answer off (finish_reason ${finish_reason})`);
  }
  const { stop_reason, matched_stop } = choice;
  const ended = stop_reason === undefined ? matched_stop : stop_reason;
  const stop = ended === undefined ? {} : { stop: typeof ended === 'string' ? ended : null };
  return {
    model: parsed.data.model ?? undefined,
    text,
    finish_reason,
    ...stop,
    prompt_tokens: reported.prompt_tokens,
    usage,
  };
}
