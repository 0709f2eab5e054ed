import type { Tool as OfferedTool } from '@modelcontextprotocol/sdk/types.js';
import { type JsonObject, parseJson } from '../../base/json.ts';
import type { ToolDefinition } from '../../contract/chatModel.ts';
import { escapeStructure } from '../../schemas/coa/escapeStructure.ts';

/** Maximum characters of a server's description for models. */
const MAX_DESCRIPTION_CHARS = 2_000;
/** Maximum length of an input schema as JSON; a longer one is an error, since it cannot be truncated. */
const MAX_SCHEMA_CHARS = 30_000;

/**
 * Definition of a server's tool for a model: the server's text, on one line each, bounded, and without anything that
 * resembles the structure of a conversation. Its instructions to the model are not judged.
 * @param name the tag that calls the tool
 * @param description instead of the server's
 * @throws Error saying what of the tool can't be used
 */
export function tameDefinition(name: string, offered: OfferedTool, description?: string): ToolDefinition {
  const { $schema: _dialect, ...schema } = offered.inputSchema as JsonObject;
  const json = JSON.stringify(schema, (keyword, value) =>
    typeof value === 'string' && /^(?:description|title|\$comment)$/.test(keyword) ? tamed(value) : value,
  );
  const { length } = json;
  if (length > MAX_SCHEMA_CHARS) {
    throw new Error(
      `its input schema has ${length} characters; at most ${MAX_SCHEMA_CHARS} are told to a model`,
    );
  }
  const words = tamed(offered.description ?? offered.title ?? '') || `The tool ${name}.`;
  return { name, description: description ?? words, parameters: parseJson(json) as JsonObject };
}

function tamed(text: string): string {
  return escapeStructure(plainLine(text).slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()).text;
}

/** One line of text without control characters, also safe for terminals. */
export function plainLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}
