import type { JsonObject, JsonValue } from '../base/json.ts';

/** Removes keys from the output of services, which may repeat them: each occurrence becomes `[key]`. */
export interface Redactor {
  /** Replaces the keys in any form of {@link formsOf}, and any eight consecutive characters of one. */
  text(text: string): string;
  /** Replaces them in a JSON value at every depth: strings, member names, long numbers, lists of characters. */
  json<Value>(value: Value): Value;
}

const REPLACEMENT = '[key]';
/** Consecutive characters of a key that are never shown: services mask keys by showing their ends. */
const SHOWN_RUN = 8;

/** Creates the redactor for the keys and values sent to a service. */
export function createRedactor(keys: readonly (string | undefined)[]): Redactor {
  const secrets = keys.filter((key) => key !== undefined).filter(isSecret);
  if (secrets.length === 0) return { text: (text) => text, json: (value) => value };
  const patterns = secrets.flatMap((key) => [...formsOf(key), ...runsOf(key)]);
  const text = (from: string) =>
    patterns.reduce((left, pattern) => left.replaceAll(pattern, REPLACEMENT), from);
  return { text, json: (value) => withoutKeys(value as JsonValue, text) as typeof value };
}

/** Values that local servers document for any key. */
const placeholders = new Set(['lm-studio', 'not-needed', 'no-key', 'no-key-required', 'sk-no-key-required']);

/** Placeholders such as "EMPTY" and "ollama" are not secrets: replacing them would damage answers. */
function isSecret(key: string): boolean {
  if (placeholders.has(key)) return false;
  if (/^[a-z]*$/i.test(key)) return key.length >= 12;
  return key.length >= 8 || (key.length >= 6 && /\d/.test(key) && /[a-z]/i.test(key));
}

/**
 * Patterns of the forms in which services and libraries repeat a key: as given and backwards, its characters escaped (JSON
 * and URLs, both at any depth, C, HTML, mail), apart or full width; in Base64 and Base64 of that or of UTF-16; as
 * the numbers of its characters.
 */
function formsOf(key: string): RegExp[] {
  const bytes = Buffer.from(key);
  const base64 = base64Forms(bytes);
  const twice = base64.flatMap((form) => base64Forms(Buffer.from(form)));
  const escaped = [...key].map(escapedCharacter);
  return [
    joined(escaped, GAP),
    joined(escaped.toReversed(), GAP),
    ...[...base64, ...twice, ...base64Forms(Buffer.from(key, 'utf16le'))].map(base64Pattern),
    joined([...bytes].map(hexOf), '[\\s:,]*(?:0x)?'),
    joined([...bytes].map(String), '\\D{1,4}'),
  ];
}

const GAP = '[\\s\\u200b]*';
const htmlNames: Readonly<Record<string, string>> = { '=': 'equals', '+': 'plus', '/': 'sol' };

function joined(parts: readonly string[], gap: string): RegExp {
  return new RegExp(parts.join(gap), 'g');
}

function literal(text: string): string {
  return text.replace(/\W/g, '\\$&');
}

/** Pattern of one character or any of its escapes, possibly escaped again. */
function escapedCharacter(character: string): string {
  const code = character.charCodeAt(0);
  const hex = hexOf(code);
  const forms = [
    `\\\\*${literal(character)}`,
    `\\\\+(?:u00|x)${hex}`,
    `\\\\+${code.toString(8).padStart(3, '0')}`,
    `%(?:25)*${hex}`,
    `&(?:amp;)*#(?:x${hex}|${code});?`,
    ...(htmlNames[character] ? [`&${htmlNames[character]};`] : []),
    `=${hex}`,
    String.fromCharCode(code + 0xfee0),
  ];
  return `(?:${forms.join('|')})`;
}

function hexOf(code: number): string {
  const letters = code.toString(16).padStart(2, '0');
  return letters.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * Base64 of bytes inside other bytes, such as a key in a header or JSON, without the characters that depend on the
 * neighbours: a prefix shifts the Base64 in one of three ways.
 */
function base64Forms(bytes: Uint8Array): string[] {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return [0, 2, 4].map((offset) =>
    (bits.slice(offset).match(/[01]{6}/g) ?? [])
      .map((group) => base64Alphabet[Number.parseInt(group, 2)])
      .join(''),
  );
}

/** Base64 in either alphabet, also in lines. */
function base64Pattern(form: string): RegExp {
  const characters = [...form].map((character) => ({ '+': '[+-]', '/': '[/_]' })[character] ?? character);
  return joined(characters, '\\s*');
}

/**
 * Fragments of a key. Lower-case letters alone may be ordinary words, and so may fragments of a key made of words;
 * fragments of addresses and paths, which servers get as variables, occur in every answer.
 */
function runsOf(key: string): RegExp[] {
  const isAddress = /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:~|\.{1,2})?(?:\/[\w.@ -]+){2,}\/?$)/i.test(key);
  if (isAddress || !/[A-Z0-9]/.test(key)) return [];
  const runs = Array.from({ length: key.length - SHOWN_RUN + 1 }, (_, at) => key.slice(at, at + SHOWN_RUN));
  const shown = runs.filter((run) => !/^[a-z]*$/.test(run));
  return shown.length === 0 ? [] : [joined(shown.map(literal), '|')];
}

/** Applies `text` to all strings of a value; a value nested too deeply is replaced as a whole. */
function withoutKeys(value: JsonValue, text: (text: string) => string): JsonValue {
  try {
    return rebuilt(value, text);
  } catch (error) {
    if (error instanceof RangeError) return REPLACEMENT;
    throw error;
  }
}

function rebuilt(value: JsonValue, text: (text: string) => string): JsonValue {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return rebuiltList(value, text);
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as JsonObject).map(([name, member]) => [
      text(name),
      member === undefined ? undefined : rebuilt(member, text),
    ]);
    return Object.fromEntries(members) as JsonObject;
  }
  // A count is too short to be a fragment of a key.
  const isLong = typeof value === 'number' && Number.isInteger(value) && String(value).length >= SHOWN_RUN;
  return isLong && text(String(value)) !== String(value) ? REPLACEMENT : value;
}

/** A list of characters, or of their codes, may be a key. */
function rebuiltList(list: readonly JsonValue[], text: (text: string) => string): readonly JsonValue[] {
  const items = list.map((item) => rebuilt(item, text));
  if (!items.every((item) => typeof item === 'string' || Number.isInteger(item))) return items;
  return text(items.join(' ')) === items.join(' ') ? items : [REPLACEMENT];
}
