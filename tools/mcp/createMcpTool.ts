import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { canonicalJson } from '../../base/ids.ts';
import { isDeeper, isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { ParsedToolInput, Tool, ToolResult } from '../../contract/tool.ts';
import { cutAnswer } from '../parseToolInput.ts';
import type { McpServer } from './mcpServer.ts';

/** A tool of an MCP server with its options. */
export interface McpToolOptions {
  /** Definition for models, named by the tool's tag. */
  readonly definition: ToolDefinition;
  readonly server: Pick<McpServer, 'call'>;
  /** Name of the tool at the server. */
  readonly tool: string;
  /** Maximum characters shown of an answer, with a notice if cut. */
  readonly maxChars: number;
}

/**
 * Creates the tool. A result, also one marked as an error, is the observation; a missing result is a failure of the
 * tool.
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

/** Adds the called tag to the failure. */
function named(tool: string, error: RecordFailure): RecordFailure {
  const { cause, message, evidence } = error.failure;
  return new RecordFailure(cause, `${tool}: ${message}`, { tool, ...evidence }, { cause: error });
}

/** Maximum shown length of an address or a name in a notice. */
const MAX_NAME_CHARS = 300;

/**
 * Observation of a server tool's result: its texts, one per line, with notices for other content. A result marked as
 * an error is shown in the same way. `raw` is the unchanged result without the bytes of images and sounds.
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

/** Maximum nesting of an input: later processing recurses level by level. */
const MAX_LEVELS = 100;
/** Maximum length of an input's error message; a list of a thousand items can have a thousand mistakes. */
const MAX_MISTAKES_CHARS = 1_000;

/**
 * Creates the check of a tool's inputs. Valid input is unchanged: the server applies defaults.
 * @throws Error when the schema can't be checked
 */
export function inputCheck(schema: JsonObject): (input: unknown) => ParsedToolInput {
  const validate = new AjvJsonSchemaValidator().getValidator<JsonObject>(schema);
  const expected = `Expected an object of the JSON Schema ${canonicalJson(schema)}`;
  return (input) => {
    if (!isJsonObject(input)) return { ok: false, error: `the input: not an object. ${expected}` };
    if (isDeeper(input, MAX_LEVELS))
      return { ok: false, error: `the input: nested deeper than ${MAX_LEVELS} levels. ${expected}` };
    const { valid, errorMessage = '' } = validate(input);
    return valid ? { ok: true, input } : { ok: false, error: `${shownMistakes(errorMessage)}. ${expected}` };
  };
}

function shownMistakes(message: string): string {
  const mistakes = message.replaceAll('data/', '').replace(/^data /, 'the input ');
  if (mistakes.length <= MAX_MISTAKES_CHARS) return mistakes;
  return `${mistakes.slice(0, MAX_MISTAKES_CHARS).toWellFormed()} ... and more`;
}
