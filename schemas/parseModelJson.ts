import { type ParsedJson, safeParseJson } from '../base/json.ts';

/** Strings of a JSON text, closed or truncated. */
const strings = /"(?:[^"\\]|\\[\s\S])*"?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not allow in strings
const controls = /[\u0000-\u001f]/g;

/**
 * Parses JSON written by a model. Models, even under a grammar, write raw line feeds and tabs into strings; such text
 * is unambiguous and read with them escaped. Nothing else is corrected.
 */
export function parseModelJson(text: string): ParsedJson {
  const strict = safeParseJson(text);
  if (strict.ok) return strict;
  const escaped = text.replace(strings, (string) => string.replace(controls, escapeControl));
  const lenient = escaped === text ? strict : safeParseJson(escaped);
  return lenient.ok ? lenient : strict;
}

/** Escapes a control character; `JSON.stringify` has the short forms `\n` and `\t`, otherwise `\u0000`. */
function escapeControl(character: string): string {
  return JSON.stringify(character).slice(1, -1);
}
