import type { JsonObject, JsonValue } from '../../base/json.ts';
import { keyNeedles, type Needle, SHOWN_RUN } from './keyNeedles.ts';
import { lettersAndDigits, readings } from './readings.ts';

/**
 * Takes keys out of what services say, which are known to repeat them. Each stretch of a key becomes `[key]`, and so does
 * each word, or else quoted text or line, that holds one in another form.
 */
export interface Redactor {
  /** A text without any eight characters in a row of a key, in any of the forms of `keyNeedles` and `readings`. */
  text(text: string): string;
  /** A JSON value without them, at every depth: strings, names of members, long numbers, lists of characters. */
  json<Value>(value: Value): Value;
}

const REPLACEMENT = '[key]';

/** Texts to search for at every place of another one. */
interface Stretches {
  readonly byLength: ReadonlyMap<number, ReadonlySet<string>>;
  /** By {@link beginning}: 1 where one of them begins so. */
  readonly beginnings: Uint8Array;
}

/** What people give to local servers that ask for any key, as their documentation has it. */
const placeholders = new Set(['lm-studio', 'not-needed', 'no-key', 'no-key-required', 'sk-no-key-required']);

/** Placeholders such as "EMPTY" and "ollama" are not secrets: taking them out would take words out of answers. */
function isSecret(key: string): boolean {
  if (placeholders.has(key)) return false;
  if (/^[a-z]*$/i.test(key)) return key.length >= 12;
  return key.length >= 8 || (key.length >= 6 && /\d/.test(key) && /[a-z]/i.test(key));
}

/** Addresses and paths are given to servers as variables too, and parts of them are in every answer. */
function isAddress(key: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|(?:~|\.{1,2})?(?:\/[\w.@ -]+){2,}\/?$)/i.test(key);
}

/** Creates the redactor of a service that was sent these keys, or given these values. */
export function createRedactor(keys: readonly (string | undefined)[]): Redactor {
  const secrets = keys.filter((key) => key !== undefined).filter(isSecret);
  if (secrets.length === 0) return { text: (text) => text, json: (value) => value };
  const exact = exactForms(secrets);
  const folded = foldedForms(secrets.flatMap(needlesOf));
  const holdsKey = (from: string) =>
    readings(from).some(
      (reading) => nextPlace(reading, 0, exact) || nextPlace(lettersAndDigits(reading), 0, folded),
    );
  const text = (from: string) => (holdsKey(from) ? withoutKey(from, exact, holdsKey) : from);
  return {
    text,
    json: (value) => (findText(value as JsonValue, holdsKey) ? rebuilt(value, text) : value),
  };
}

/** Words, then what stands between quotes (JSON stays JSON), then lines, then all. */
const parts = [/(?<!\\)\\*[^\s"\\]+(?:\\+[^\s"\\]+)*/g, /(?<=")(?:[^"\\]|\\.)+(?=")/g, /[^\n]+/g, /[\s\S]+/g];

function withoutKey(text: string, exact: Stretches, holdsKey: (text: string) => boolean): string {
  let left = withoutStretches(text, exact);
  for (const part of parts) {
    if (!holdsKey(left)) break;
    left = left.replace(part, (found) => (holdsKey(found) ? REPLACEMENT : found));
  }
  return left;
}

function needlesOf(key: string): Needle[] {
  const needles = keyNeedles(key);
  return isAddress(key) ? needles.map((needle) => ({ ...needle, window: needle.text.length })) : needles;
}

/** Letters alone may be the words of any text, unless they are many: "not required", "password". */
function isWords(letters: string): boolean {
  return letters.length < 16 && !/\d/.test(letters);
}

function exactForms(secrets: readonly string[]): Stretches {
  const stretches = secrets
    // `of-the-t` of a key that is made of words stands in the addresses of pages.
    .filter((key) => !isAddress(key) && /[A-Z0-9]/.test(key))
    .flatMap((key) => stretchesOf(key, SHOWN_RUN))
    .filter((stretch) => !/^[a-z]*$/.test(stretch));
  return stretchesFrom([...secrets, ...stretches]);
}

function foldedForms(needles: readonly Needle[]): Stretches {
  return stretchesFrom(
    needles.flatMap(({ text, window, isPlain }) => {
      const stretches = stretchesOf(text, Math.min(window, text.length));
      return isPlain ? [text, ...stretches].filter((stretch) => !isWords(stretch)) : stretches;
    }),
  );
}

function stretchesOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) =>
    text.slice(at, at + length),
  );
}

function stretchesFrom(texts: readonly string[]): Stretches {
  const byLength = new Map<number, Set<string>>();
  const beginnings = new Uint8Array(2 ** 16);
  for (const text of texts) {
    byLength.set(text.length, (byLength.get(text.length) ?? new Set()).add(text));
    beginnings[beginning(text, 0)] = 1;
  }
  return { byLength, beginnings };
}

/** A number for the four units of a text from a place on, of 16 bits. */
function beginning(text: string, at: number): number {
  const first = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 7);
  const second = (text.charCodeAt(at + 2) << 14) | (text.charCodeAt(at + 3) << 21);
  return Math.imul(first ^ second, 0x9e3779b1) >>> 16;
}

/** The first place from `from` on where one of the texts stands, and the length of the longest there. */
function nextPlace(text: string, from: number, { byLength, beginnings }: Stretches) {
  for (let at = from; at < text.length; at++) {
    if (beginnings[beginning(text, at)] === 0) continue;
    const lengths = [...byLength].flatMap(([length, stretches]) =>
      stretches.has(text.slice(at, at + length)) ? [length] : [],
    );
    if (lengths.length > 0) return { at, length: Math.max(...lengths) };
  }
  return undefined;
}

function withoutStretches(text: string, exact: Stretches): string {
  const isHidden = new Uint8Array(text.length);
  for (let found = nextPlace(text, 0, exact); found; found = nextPlace(text, found.at + 1, exact))
    isHidden.fill(1, found.at, found.at + found.length);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const state = isHidden[at]!;
    const next = isHidden.indexOf(1 - state, at);
    const end = next < 0 ? text.length : next;
    pieces.push(state === 1 ? REPLACEMENT : text.slice(at, end));
    at = end;
  }
  return pieces.join('');
}

/** The smallest whole number that can hold a run of a key's digits. */
const LEAST_SEARCHED_NUMBER = 10 ** (SHOWN_RUN - 1);

/** A number is searched where it has digits enough; a count has not. */
function searchedNumber(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'number') return undefined;
  return Number.isInteger(value) && Math.abs(value) < LEAST_SEARCHED_NUMBER ? undefined : String(value);
}

/** A list of characters, of their numbers or of pieces of a text; undefined for other lists. */
function listAsText(list: readonly JsonValue[]): string | undefined {
  const isPiece = (item: JsonValue) => typeof item === 'string' || Number.isInteger(item);
  return list.length > 1 && list.every(isPiece) ? list.join(' ') : undefined;
}

/** True when a text in a value is one that is looked for. Goes through values of any depth. */
function findText(value: JsonValue, isFound: (text: string) => boolean): boolean {
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string' && isFound(next)) return true;
    const number = searchedNumber(next);
    if (number !== undefined && isFound(number)) return true;
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      const joined = listAsText(next);
      if (joined !== undefined && isFound(joined)) return true;
    } else if (Object.keys(next).some(isFound)) return true;
    for (const child of Object.values(next) as JsonValue[]) {
      if (typeof child === 'string' || typeof child === 'object' || searchedNumber(child) !== undefined)
        open.push(child);
    }
  }
  return false;
}

/** The value with each of its texts as `text` makes it; one that is nested too deep for that is left out whole. */
function rebuilt<Value>(value: Value, text: (text: string) => string): Value {
  try {
    return rebuiltValue(value as JsonValue, text) as Value;
  } catch (error) {
    if (error instanceof RangeError) return REPLACEMENT as Value;
    throw error;
  }
}

function rebuiltValue(value: JsonValue, text: (text: string) => string): JsonValue {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return rebuiltList(value, text);
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value as JsonObject).map(([name, member]) => [
      text(name),
      member === undefined ? undefined : rebuiltValue(member, text),
    ]);
    return Object.fromEntries(members) as JsonObject;
  }
  const number = searchedNumber(value);
  return number === undefined || text(number) === number ? value : REPLACEMENT;
}

function rebuiltList(list: readonly JsonValue[], text: (text: string) => string): readonly JsonValue[] {
  const items = list.map((item) => rebuiltValue(item, text));
  const joined = listAsText(items);
  return joined === undefined || text(joined) === joined ? items : [REPLACEMENT];
}
