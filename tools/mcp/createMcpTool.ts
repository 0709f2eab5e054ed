import { createContext, Script } from 'node:vm';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { canonicalJson } from '../../base/ids.ts';
import { isDeeper, isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { ParsedToolInput, Tool, ToolResult } from '../../contract/tool.ts';
import { cutAnswer } from '../parseToolInput.ts';
import type { McpServer } from './mcpServer.ts';
import { mapInputSchema } from './tameDefinition.ts';

/** A tool of an MCP server. */
export interface McpToolOptions {
  /** What models are told, its name the tag that calls the tool. */
  readonly definition: ToolDefinition;
  readonly server: Pick<McpServer, 'call'>;
  /** The tool's name at the server. */
  readonly tool: string;
  /** Shown of one answer; what is cut off is said. */
  readonly maxChars: number;
}

/**
 * Creates the tool. A result is the observation, also where it says that it is an error; whatever keeps the server
 * from giving one is a failure of the tool.
 *
 * @throws Error when the input schema is none that can be checked
 */
export function createMcpTool({ definition, server, tool, maxChars }: McpToolOptions): Tool {
  const { name, parameters } = definition;
  return {
    name,
    definition,
    parseInput: inputCheck(parameters),
    async call(input, signal) {
      try {
        return mcpObservation(await server.call(tool, input, signal), maxChars);
      } catch (error) {
        throw error instanceof RecordFailure ? named(name, error) : error;
      }
    },
  };
}

/** The failure with the tag that was called. */
function named(tool: string, error: RecordFailure): RecordFailure {
  const { cause, message, evidence } = error.failure;
  return new RecordFailure(cause, `${tool}: ${message}`, { tool, ...evidence }, { cause: error });
}

/** Shown of an address or a name in a notice. */
const MAX_NAME_CHARS = 300;

/**
 * A result of a server's tool as an observation: its texts, one below the other, and a notice in place of what is no
 * text. A result that says that it is an error is the tool's message to the agent, shown in the same way. `raw` is the
 * result as it came, but for the bytes of images and sounds.
 *
 * @param maxChars shown; what is cut off is said
 */
function mcpObservation(result: CallToolResult, maxChars: number): ToolResult {
  const { content, structuredContent, isError } = result;
  const parts = content.map(shownPart);
  const text =
    parts.length === 0 && structuredContent ? JSON.stringify(structuredContent, null, 1) : parts.join('\n');
  const raw = {
    content: content.map(keptPart),
    ...(structuredContent && { structuredContent: structuredContent as JsonObject }),
    ...(isError !== undefined && { isError }),
  };
  return { observation: cut(text, isError === true, maxChars), raw };
}

function cut(text: string, isError: boolean, maxChars: number): string {
  if (text.trim() === '')
    return isError ? '(the tool failed and says nothing of why)' : '(the tool answered with nothing)';
  return cutAnswer(text, maxChars);
}

function shownPart(part: ContentBlock): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return notice(part.type, part.mimeType);
    case 'resource_link':
      return notice('link to a resource', part.uri);
    case 'resource':
      return 'text' in part.resource ? part.resource.text : notice('resource', part.resource.uri);
  }
}

function notice(what: string, name: string): string {
  return `[${what}, not shown: ${name.replace(/\s+/g, ' ').slice(0, MAX_NAME_CHARS)}]`;
}

function keptPart(part: ContentBlock): JsonObject {
  if (part.type === 'image' || part.type === 'audio') {
    const { data, ...rest } = part;
    return { ...(rest as JsonObject), base64_chars: data.length };
  }
  if (part.type === 'resource' && 'blob' in part.resource) {
    const { blob, ...rest } = part.resource;
    return { ...(part as JsonObject), resource: { ...(rest as JsonObject), base64_chars: blob.length } };
  }
  return part as JsonObject;
}

/** An honest schema takes milliseconds; references can make one of a few hundred letters take years. */
const MAX_CHECK_MS = 1_000;
/** Levels of an input: whatever comes after the check goes through inputs level by level. */
const MAX_LEVELS = 100;
/** Told of what is wrong with one input; a list of a thousand items can have a thousand mistakes. */
const MAX_MISTAKES_CHARS = 1_000;

/**
 * Makes the check of a tool's inputs. An input that passes is left as it is: defaults are the server's to fill in.
 * Patterns are told to the model and left to the server to check: a regular expression of a server's would run here,
 * for as long as it likes. So is an input whose check takes longer than a second.
 *
 * @throws Error when the schema is none that can be checked
 */
export function inputCheck(schema: JsonObject): (input: unknown) => ParsedToolInput {
  const validate = new AjvJsonSchemaValidator().getValidator<JsonObject>(checkedHere(schema));
  const expected = `Expected an object of the JSON Schema ${canonicalJson(schema)}`;
  return (input) => {
    if (!isJsonObject(input)) return { ok: false, error: `the input: not an object. ${expected}` };
    if (isDeeper(input, MAX_LEVELS))
      return { ok: false, error: `the input: nested deeper than ${MAX_LEVELS} levels. ${expected}` };
    const mistakes = mistakesIn(() => validate(input));
    return mistakes === undefined ? { ok: true, input } : { ok: false, error: `${mistakes}. ${expected}` };
  };
}

function mistakesIn(
  validate: () => { valid: boolean; errorMessage?: string | undefined },
): string | undefined {
  try {
    const { valid, errorMessage = '' } = runBounded(validate, MAX_CHECK_MS);
    if (valid) return undefined;
    const mistakes = errorMessage.replaceAll('data/', '').replace(/^data /, 'the input ');
    if (mistakes.length <= MAX_MISTAKES_CHARS) return mistakes;
    return `${mistakes.slice(0, MAX_MISTAKES_CHARS).toWellFormed()} ... and more`;
  } catch (error) {
    // A schema that refers to itself without end, or too often, can't be applied, only by its server perhaps.
    if (error instanceof RangeError || error instanceof TookTooLong) return undefined;
    throw error;
  }
}

/** A schema without patterns, and without Ajv's own keyword for checks that are promises. */
function checkedHere(schema: JsonObject): JsonObject {
  return mapInputSchema(schema, (keyword, value, { patternProperties }) => {
    if (keyword === 'pattern' || keyword === 'patternProperties' || keyword === '$async') return undefined;
    // What patterns allow would be what nothing allows.
    const isRest = keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
    return isRest && patternProperties !== undefined ? undefined : value;
  });
}

/** Thrown when the time of a check is over. */
class TookTooLong extends Error {}

const script = new Script('work()');

/**
 * Runs work that does not await, and breaks it off when it takes too long: no timer of this process can do that.
 *
 * @throws TookTooLong when it was broken off; whatever the work throws
 */
function runBounded<T>(work: () => T, timeoutMs: number): T {
  try {
    return script.runInContext(createContext({ work }), { timeout: timeoutMs });
  } catch (error) {
    // Of the context's own kind of errors.
    if ((error as NodeJS.ErrnoException | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new TookTooLong(`took longer than ${timeoutMs / 1000} s`);
  }
}
