import { type ParsedJson, safeParseJson } from '../base/json.ts';

/** Strings of a JSON text, closed or cut off. */
const strings = /"(?:[^"\\]|\\[\s\S])*"?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not allow in strings
const controls = /[\u0000-\u001f]/g;

/**
 * Parses JSON that a model wrote. Models, also those held to a schema by a grammar, write line feeds and tabs into
 * strings as they are; such a text has one meaning only, so it is read with them escaped. Nothing else is corrected.
 */
export function parseModelJson(text: string): ParsedJson {
  const strict = safeParseJson(text);
  if (strict.ok) return strict;
  const escaped = text.replace(strings, (string) => string.replace(controls, escapeControl));
  const lenient = escaped === text ? strict : safeParseJson(escaped);
  return lenient.ok ? lenient : strict;
}

/** `JSON.stringify` knows the short forms: `\n`, `\t`, otherwise `\u0000`. */
function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
