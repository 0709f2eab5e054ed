import type { Tool as OfferedTool } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import { neutralise } from '../../schemas/coa/neutralise.ts';

/** Told to models of one description of a server's. */
const MAX_DESCRIPTION_CHARS = 2_000;
/** Told to models of one input schema, as JSON; a longer one is an error, for a part of it is none. */
const MAX_SCHEMA_CHARS = 30_000;

/**
 * What a model is told of a server's tool: the server's own words, one line each and of bounded length, in which
 * nothing can be taken for the structure of a conversation. What they ask the model to do is not judged.
 *
 * @param name the tag that calls the tool
 * @param description instead of the server's
 * @throws Error saying what of the tool can't be used
 */
export function tameDefinition(name: string, offered: OfferedTool, description?: string): ToolDefinition {
  const { $schema: _dialect, ...schema } = offered.inputSchema as JsonObject;
  const parameters = mapInputSchema(schema, (keyword, value) =>
    typeof value === 'string' && /^(?:description|title|\$comment)$/.test(keyword) ? tamed(value) : value,
  );
  const { length } = JSON.stringify(parameters);
  if (length > MAX_SCHEMA_CHARS) {
    throw new Error(
      `its input schema has ${length} characters; at most ${MAX_SCHEMA_CHARS} are told to a model`,
    );
  }
  const words = tamed(offered.description ?? offered.title ?? '') || `The tool ${name}.`;
  return { name, description: description ?? words, parameters };
}

function tamed(text: string): string {
  return neutralise(plainLine(text).slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()).text;
}

/** A text as one line of a message, without control characters: what servers say is shown on terminals too. */
export function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

/** Keywords of JSON Schema whose value is an object of schemas by names that are no keywords. */
const namedSchemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose value is data, in which nothing is a keyword. */
const data = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);
/** Levels of a schema that are read. */
const MAX_LEVELS = 60;

/** What becomes of a keyword's value in a schema; `undefined` takes the keyword out. */
type ReplaceValue = (keyword: string, value: JsonValue, schema: JsonObject) => JsonValue | undefined;

/**
 * A JSON Schema with the values of its keywords replaced, in all the schemas that it holds.
 *
 * @throws Error when the schema is nested deeper than 60 levels
 */
export function mapInputSchema(schema: JsonObject, replace: ReplaceValue): JsonObject {
  return mapSchema(schema, replace, 0) as JsonObject;
}

function mapSchema(schema: JsonValue, replace: ReplaceValue, level: number): JsonValue {
  if (level > MAX_LEVELS) throw new Error(`its input schema is nested deeper than ${MAX_LEVELS} levels`);
  if (Array.isArray(schema)) return schema.map((item) => mapSchema(item, replace, level + 1));
  if (!isJsonObject(schema)) return schema;
  return entriesMapped(schema, (keyword, given) => {
    const value = replace(keyword, given, schema);
    if (value === undefined || data.has(keyword)) return value;
    if (namedSchemas.has(keyword) && isJsonObject(value)) {
      return entriesMapped(value, (_name, named) => mapSchema(named, replace, level + 1));
    }
    return mapSchema(value, replace, level + 1);
  });
}

function entriesMapped(
  object: JsonObject,
  map: (key: string, value: JsonValue) => JsonValue | undefined,
): JsonObject {
  const entries = Object.entries(object).flatMap(([key, value]) => {
    const mapped = value === undefined ? undefined : map(key, value);
    return mapped === undefined ? [] : [[key, mapped] as const];
  });
  return Object.fromEntries(entries);
}
