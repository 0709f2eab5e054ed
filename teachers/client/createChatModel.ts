import type { ChatAnswer, ChatModel, ChatRequest } from '../../pipeline/contract/chatModel.ts';
import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { Clock } from '../../pipeline/contract/ports.ts';
import type { EndpointConfig } from '../../schemas/config/teacher.ts';
import type { JsonObject } from '../../schemas/json.ts';
import type { AnswerFormat } from './answerFormats.ts';
import { createCompletionCall } from './createCompletionCall.ts';
import type { EndpointCapabilities } from './endpointCapabilities.ts';
import { endpointFault, faultFailure, isInvalidRequest } from './endpointFault.ts';
import type { Completion } from './readCompletion.ts';
import { readJsonAnswer } from './readJsonAnswer.ts';
import { requestBody, requestHash } from './requestBody.ts';
import { retryWaitMs } from './retryPolicy.ts';
import { tokenCostUsd } from './tokenCost.ts';

/** A model behind an endpoint. */
export interface ChatModelOptions {
  readonly model: string;
  readonly endpoint: EndpointConfig & { base_url: string };
  /** Undefined when the endpoint needs none; then no authorization is sent. */
  readonly apiKey: string | undefined;
  readonly clock: Clock;
  /** Shared by all roles that use the same address and model: see `createEndpointRegistry`. */
  readonly capabilities: EndpointCapabilities;
}

/** Creates a model client over the `openai` package, with retries, limits and attribution of our own. */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const { model, capabilities } = options;
  const sendRetrying = createRetryingSend(options);

  async function ask(request: ChatRequest, format: AnswerFormat | null, signal: AbortSignal) {
    const hash = requestHash(model, request);
    const completion = await sendRetrying(requestBody(model, request, format), hash, signal);
    return answerOf(completion, hash, format);
  }

  function answerOf(completion: Completion, hash: string, format: AnswerFormat | null): ChatAnswer {
    return {
      ...completion,
      model: completion.model ?? model,
      cost_usd: tokenCostUsd(completion.usage, options.endpoint.price),
      request_hash: hash,
      response_format: format,
    };
  }

  async function askForTool(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer> {
    try {
      const answer = await ask(request, null, signal);
      if (answer.tool_calls.length > 0) capabilities.noteNativeToolCall();
      return answer;
    } catch (error) {
      // Servers without function calling say that the request is invalid; the agent then asks in the other style.
      if (isInvalidRequest(error)) capabilities.preferStructuredToolCalls();
      throw error;
    }
  }

  return {
    model,
    get toolCallStyle() {
      return capabilities.toolCallStyle;
    },
    preferStructuredToolCalls: () => capabilities.preferStructuredToolCalls(),
    async chat(request, signal) {
      if (request.tools?.length) return askForTool(request, signal);
      if (!request.response_schema) return ask(request, null, signal);
      const asked = {
        ask: (format: AnswerFormat) => ask(request, format, signal),
        isJson: (answer: ChatAnswer) => readJsonAnswer(answer.content).ok,
      };
      return (await capabilities.answerFormats.run(asked, signal)).answer;
    },
  };
}

/** One request with its retries. A slot is held only while a request is in flight, and retries go before new requests. */
function createRetryingSend({ endpoint, apiKey, clock, capabilities }: ChatModelOptions) {
  const { slots, dispatcher } = capabilities.connection;
  const call = createCompletionCall({ baseUrl: endpoint.base_url, apiKey, dispatcher });

  return async function sendRetrying(
    body: JsonObject,
    hash: string,
    signal: AbortSignal,
  ): Promise<Completion> {
    for (let attempt = 0; ; attempt++) {
      const limit = { expired: false };
      try {
        return await slots.add(() => call(body, endpoint.timeout_s * 1000, limit, signal), {
          priority: attempt,
          signal,
        });
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RecordFailure) throw error;
        const fault = endpointFault(error, limit.expired, clock.now());
        if (!fault.retried || attempt >= endpoint.max_retries) throw faultFailure(fault, attempt + 1, apiKey);
        const maxRetryWaitMs = endpoint.max_retry_wait_s * 1000;
        const { retryAfterMs } = fault;
        await clock.sleep(retryWaitMs({ attempt, requestHash: hash, retryAfterMs, maxRetryWaitMs }), signal);
      }
    }
  };
}
