import { z } from 'zod';
import { canonicalJson } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { OwnModule } from '../../base/programs/ownModule.ts';
import { askOwnCode } from '../../contract/ownCode.ts';
import type { Tool } from '../../contract/tool.ts';
import { createRedactor } from '../../schemas/createRedactor.ts';
import { cutAnswer, defineTool, parseToolInput, queryInput } from '../parseToolInput.ts';
import { type CustomAnswer, type CustomService, postInput } from './postInput.ts';

/** Options of a user tool. */
interface OwnToolOptions {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, an object; default: `{"query": a text}`. */
  readonly inputSchema?: JsonObject;
  /** Maximum characters shown of an answer, with a notice if cut. */
  readonly maxChars: number;
}

/** A user tool behind a URL. */
export interface CustomToolOptions extends OwnToolOptions, Omit<CustomService, 'redactor'> {}

/** Creates the tool. The service's answer is the observation: text and JSON unchanged, a JSON string as its value. */
export function createCustomTool(options: CustomToolOptions): Tool {
  const service = { ...options, redactor: createRedactor([options.apiKey]) };
  return ownTool(options, (given, signal) => postInput(service, given, signal));
}

/** Creates a tool of a module. A text answer is the observation, any other value is shown as JSON. */
export function createModuleTool(options: OwnToolOptions, module: OwnModule): Tool {
  return ownTool(options, async (given, signal) => {
    const raw = await askOwnCode(module, given, signal);
    return { raw, text: raw === null ? '' : typeof raw === 'string' ? raw : JSON.stringify(raw) };
  });
}

function ownTool(
  options: OwnToolOptions,
  answer: (input: JsonObject, signal: AbortSignal) => Promise<CustomAnswer>,
): Tool {
  const { name, description, maxChars } = options;
  const { inputSchema: parameters } = options;
  const input = inputRule(parameters);
  return {
    name,
    definition: parameters
      ? { name, description, parameters }
      : defineTool(name, description, queryInput.schema),
    parseInput: (given) => parseToolInput(input, given),
    async call(given, signal) {
      const { raw, text } = await answer(given, signal);
      return { observation: shown(text, maxChars), raw };
    },
  };
}

function inputRule(schema: JsonObject | undefined) {
  if (schema === undefined) return queryInput;
  // The configuration check guarantees a schema of an object.
  const checked = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema) as z.ZodType<JsonObject>;
  return { schema: checked, example: `an object of the JSON Schema ${canonicalJson(schema)}` };
}

function shown(text: string, maxChars: number): string {
  if (text.trim() === '') return '(the tool answered with nothing)';
  return cutAnswer(text, maxChars);
}
