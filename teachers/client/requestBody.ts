import { contentId } from '../../base/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ChatRequest } from '../../contract/chatModel.ts';
import { digestedImages } from '../../schemas/digestedImages.ts';
import { type AnswerFormat, responseFormat } from './answerFormats.ts';
import { answerLimit } from './estimatedTokens.ts';

/**
 * Hash of what a request asks: never of the address, the key, or how the endpoint happens to spell structured
 * answers, so that it is equal on every machine.
 */
export function requestHash(model: string, request: ChatRequest): string {
  const { tools, response_schema, sampling } = request;
  const messages = digestedImages(request.messages);
  return contentId('request', { model, messages, tools, response_schema, sampling });
}

/** The body of a chat completion request in OpenAI's wire form. */
export function requestBody(model: string, request: ChatRequest, format: AnswerFormat | null): JsonObject {
  const { response_schema } = request;
  const { max_tokens, ...sampling } = request.sampling;
  const asked =
    format && response_schema
      ? responseFormat(format, { ...response_schema, schema: wireSchema(response_schema.schema) })
      : undefined;
  return {
    model,
    messages: request.messages as unknown as readonly JsonObject[],
    ...sampling,
    ...answerLimit(model, max_tokens),
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
 * What our zod schemas check after the answer has come, and endpoints can't be asked for: OpenAI's strict mode
 * refuses some of it, and llama.cpp writes a length limit out as a grammar so large that its server dies of it.
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
]);

/** A JSON Schema in the subset that endpoints take: the shape without its limits. */
export function wireSchema(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key]) => !checkedByUs.has(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'properties' ? eachProperty(value) : wireValue(value)]),
  );
}

/** The names of properties are not keywords: one may be called `pattern`. */
function eachProperty(properties: JsonValue | undefined): JsonValue {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wireValue(schema)]));
}

function wireValue(value: JsonValue | undefined): JsonValue {
  if (Array.isArray(value)) return value.map(wireValue);
  return isJsonObject(value) ? wireSchema(value) : (value ?? null);
}
