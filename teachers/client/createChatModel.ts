import type { Clock } from '../../base/clock.ts';
import type { CallMeter } from '../../contract/calls.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from '../../contract/chatModel.ts';
import type { EndpointPool } from '../../contract/endpointPool.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { withheldAnswerOf } from '../../contract/withheldAnswer.ts';
import type { EndpointConfig } from '../../schemas/config/teacher.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import type { AnswerFormat } from './answerFormats.ts';
import { createRetryingSend } from './createRetryingSend.ts';
import type { EndpointCapabilities } from './endpointCapabilities.ts';
import { isInvalidRequest } from './endpointFault.ts';
import { chatWire } from './endpointWire.ts';
import type { Completion } from './readCompletion.ts';
import { readJsonAnswer } from './readJsonAnswer.ts';
import { requestBody, requestHash } from './requestBody.ts';

/** A model behind an endpoint. */
export interface ChatModelOptions {
  readonly model: string;
  readonly endpoint: EndpointConfig;
  /** Addresses, keys and limits. */
  readonly pool: EndpointPool;
  readonly clock: Clock;
  /** Records what attempts cost; nothing is recorded where absent. */
  readonly meter?: CallMeter;
  /** Shared by all roles that use the same address and model: see `createEndpointRegistry`. */
  readonly capabilities: EndpointCapabilities;
}

/** Creates a model client over the `openai` package, with retries and attribution of our own; the pool limits it. */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const { model, capabilities } = options;
  const sendRetrying = createRetryingSend({
    ...options,
    wire: chatWire,
    dispatcher: capabilities.dispatcher,
  });

  async function ask(request: ChatRequest, format: AnswerFormat | null, signal: AbortSignal) {
    const hash = requestHash(model, request);
    try {
      const completion = await sendRetrying(requestBody(model, request, format), hash, signal);
      return answerOf(completion, hash, format);
    } catch (error) {
      throw priced(error);
    }
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

  /** Withheld answers cost what others do. */
  function priced(error: unknown): unknown {
    const withheld = withheldAnswerOf(error);
    if (!withheld?.usage) return error;
    const { cause, message, evidence } = withheld.failure.failure;
    const cost_usd = tokenCostUsd(withheld.usage, options.endpoint.price);
    return new RecordFailure(cause, message, { ...evidence, cost_usd });
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
    learnFrom({ tool_calls, response_format, content }) {
      if (tool_calls.length > 0) capabilities.noteNativeToolCall();
      if (response_format) capabilities.answerFormats.note(response_format, readJsonAnswer(content).ok);
    },
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
