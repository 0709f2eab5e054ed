import type { Clock } from '../../base/clock.ts';
import { contentId } from '../../base/ids.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isJsonObject } from '../../base/json.ts';
import type { CallMeter, CallScope } from '../../contract/calls.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from '../../contract/chatModel.ts';
import type { EndpointPool } from '../../contract/endpointPool.ts';
import { WithheldAnswer } from '../../contract/errors.ts';
import type { PricedEndpoint } from '../../schemas/config/models.ts';
import { readJsonAnswer } from '../../schemas/readJsonAnswer.ts';
import { digestedImages } from '../../schemas/shownImages.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { type AnswerFormat, responseFormat } from './answerFormats.ts';
import { createRetryingSend } from './createRetryingSend.ts';
import type { EndpointCapabilities } from './endpointCapabilities.ts';
import { isInvalidRequest } from './endpointFault.ts';
import { samplingMembers } from './meteredCall.ts';
import { type Completion, readCompletion } from './readCompletion.ts';

/** Options of a model behind an endpoint. */
export interface ChatModelOptions {
  readonly model: string;
  readonly endpoint: PricedEndpoint;
  readonly pool: EndpointPool;
  readonly clock: Clock;
  /** Records the cost of attempts; absent: nothing is recorded. */
  readonly meter?: CallMeter;
  /** Shared by all roles with the same address and model: see `createEndpointRegistry`. */
  readonly capabilities: EndpointCapabilities;
}

interface Asking {
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
  readonly scope: CallScope | undefined;
}

/** Creates a model client with retries and attributed faults; the pool limits it. */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const { model, capabilities } = options;
  const sendRetrying = createRetryingSend({
    ...options,
    wire: { path: '/chat/completions', read: readCompletion },
    dispatcher: capabilities.dispatcher,
  });

  async function ask({ request, signal, scope }: Asking, format: AnswerFormat | null) {
    const hash = requestHash(model, request);
    try {
      const completion = await sendRetrying(bodyOf(request, format), hash, signal, scope);
      return answerOf(completion, hash, format);
    } catch (error) {
      throw priced(error);
    }
  }

  function bodyOf(request: ChatRequest, format: AnswerFormat | null): JsonObject {
    const body = requestBody(model, request, format);
    return options.endpoint.cache_control ? { ...body, messages: markedMessages(request) } : body;
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

  /** Adds the price of a withheld answer. */
  function priced(error: unknown): unknown {
    if (!(error instanceof WithheldAnswer) || !error.answer.usage) return error;
    const { failure, answer } = error;
    const cost_usd = tokenCostUsd(error.answer.usage, options.endpoint.price);
    return new WithheldAnswer(failure.cause, failure.message, { ...answer, cost_usd });
  }

  async function askForTool(asking: Asking): Promise<ChatAnswer> {
    try {
      const answer = await ask(asking, null);
      if (answer.tool_calls.length > 0) capabilities.noteNativeToolCall();
      return answer;
    } catch (error) {
      // Servers without function calling report an invalid request; the agent then uses the other style.
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
      if (response_format) capabilities.answerFormats.note(response_format, kindOf(content));
    },
    async chat(request, signal, scope) {
      const asking = { request, signal, scope };
      if (request.tools?.length) return askForTool(asking);
      if (!request.response_schema) return ask(asking, null);
      const asked = {
        ask: (format: AnswerFormat) => ask(asking, format),
        kindOf: (answer: ChatAnswer) => kindOf(answer.content),
      };
      return (await capabilities.answerFormats.run(asked, signal)).answer;
    },
  };
}

function kindOf(content: string | null) {
  if (!content?.trim()) return 'empty';
  return readJsonAnswer(content).ok ? 'json' : 'other';
}

/**
 * Hash of a request's content, without address, key and the endpoint's form of structured answers, so that it is
 * equal on every machine.
 */
function requestHash(model: string, request: ChatRequest): string {
  const { tools, response_schema, sampling } = request;
  const messages = digestedImages(request.messages);
  return contentId('request', { model, messages, tools, response_schema, sampling });
}

/** Body of a chat completion request in OpenAI's format. */
export function requestBody(model: string, request: ChatRequest, format: AnswerFormat | null): JsonObject {
  const { response_schema } = request;
  const asked =
    format && response_schema
      ? responseFormat(format, { ...response_schema, schema: wireSchema(response_schema.schema) })
      : undefined;
  return {
    model,
    messages: request.messages as unknown as readonly JsonObject[],
    ...samplingMembers(model, request.sampling),
    ...(asked ? { response_format: asked } : {}),
    ...(request.tools?.length ? toolOffer(request.tools) : {}),
  };
}

function toolOffer(tools: NonNullable<ChatRequest['tools']>): JsonObject {
  const only = tools.length === 1 ? tools[0] : undefined;
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters: wireSchema(parameters) },
    })),
    tool_choice: only ? { type: 'function', function: { name: only.name } } : 'required',
  };
}

/**
 * Schema keywords that zod checks after the answer, removed for endpoints: OpenAI's strict mode refuses some, and
 * llama.cpp expands a length limit into a grammar that crashes the server.
 */
const checkedByUs = new Set([
  '$schema',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'propertyNames',
  'default',
]);

/**
 * Reduces a JSON Schema to the subset that endpoints accept: shape without limits. A tuple becomes a list of its
 * first item: llama.cpp refuses `items: false`, and OpenAI `prefixItems`.
 */
export function wireSchema({ prefixItems, ...schema }: JsonObject): JsonObject {
  const listed = Array.isArray(prefixItems) ? { ...schema, items: prefixItems[0]! } : schema;
  const kept = Object.entries(listed).filter(([key]) => !checkedByUs.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'properties' ? eachProperty(value) : wireValue(value)]),
  );
}

/** Property names are not keywords: one may be called `pattern`. */
function eachProperty(properties: JsonValue | undefined): JsonValue {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wireValue(schema)]));
}

function wireValue(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(wireValue);
  return isJsonObject(value) ? wireSchema(value) : (value ?? null);
}

/**
 * Adds cache marks for Anthropic's models (`cache_control` of a content part, also through OpenRouter and LiteLLM):
 * after the system prompt, and after the prefix of later requests.
 */
function markedMessages({ messages, stable }: ChatRequest): JsonValue[] {
  return messages.map((message, at) => {
    const { role, content } = message;
    if (typeof content !== 'string' || content === '') return message as unknown as JsonObject;
    const chars = at === stable?.message ? stable.chars : role === 'system' ? content.length : 0;
    return (chars === 0 ? message : { ...message, content: parts(content, chars) }) as unknown as JsonObject;
  });
}

function parts(text: string, chars: number): JsonObject[] {
  const rest = text.slice(chars);
  return [
    { type: 'text', text: text.slice(0, chars), cache_control: { type: 'ephemeral' } },
    ...(rest === '' ? [] : [{ type: 'text', text: rest }]),
  ];
}
