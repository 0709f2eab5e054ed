import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ChatRequest } from '../../contract/chatModel.ts';
import type { AgentCallEvent } from '../../schemas/trace.ts';

/** A method of requesting a structured answer. */
export type AnswerFormat = NonNullable<AgentCallEvent['response_format']>;

/** From the strictest to the one that every endpoint supports. */
export const answerFormats: readonly AnswerFormat[] = [
  'openai_schema',
  'llama_cpp_schema',
  'json_object',
  'text',
];

/** `response_format` of a request; undefined if none is sent. */
export function responseFormat(
  format: AnswerFormat,
  { name, schema }: NonNullable<ChatRequest['response_schema']>,
): JsonObject | undefined {
  switch (format) {
    case 'openai_schema':
      return { type: 'json_schema', json_schema: { name, schema, strict: isStrict(schema) } };
    case 'llama_cpp_schema':
      return { type: 'json_object', schema };
    case 'json_object':
      return { type: 'json_object' };
    case 'text':
      return undefined;
  }
}

/** True if all objects are closed and all properties required, as OpenAI's `strict` demands. */
function isStrict(schema: JsonValue | undefined): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict);
  if (!isJsonObject(schema)) return true;
  return isClosed(schema) && Object.values(schema).every(isStrict);
}

function isClosed(schema: JsonObject): boolean {
  if (schema.type !== 'object') return true;
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(isJsonObject(schema.properties) ? schema.properties : {});
  return schema.additionalProperties === false && names.every((name) => required.includes(name));
}
