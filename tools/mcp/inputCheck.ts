import { createContext, Script } from 'node:vm';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { canonicalJson } from '../../base/ids.ts';
import { isDeeper } from '../../base/isDeeper.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { ParsedToolInput } from '../../contract/tool.ts';
import { mapInputSchema } from './mapInputSchema.ts';

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
