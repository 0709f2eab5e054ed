import { type JsonValue, type ParsedJson, safeParseJson } from '../json.ts';

/**
 * First duplicate key in an object of a JSON text; undefined without one. Parsing silently keeps only the last value.
 * Keys are counted in the text and in its value, and the text is scanned only if the counts differ.
 * @param value what the text says
 */
export function repeatedKey(text: string, value: JsonValue): string | undefined {
  return writtenKeys(text) === keysIn(value) ? undefined : firstRepeated(text);
}

/**
 * Parses a line written by a person or their program: as `safeParseJson`, and a duplicate key is an error. Errors say
 * that it is not JSON, or name the key.
 */
export function safeParseLine(text: string, levels?: number): ParsedJson {
  const parsed = safeParseJson(text, levels);
  if (!parsed.ok) return { ok: false, error: `not JSON (${parsed.error})` };
  const key = repeatedKey(text, parsed.value);
  return key === undefined ? parsed : { ok: false, error: twice(key) };
}

/** Problem text for a duplicate key. */
export function twice(key: string): string {
  return `the key ${JSON.stringify(key)} stands twice in one object; keep one of them`;
}

function writtenKeys(text: string): number {
  let keys = 0;
  for (let open = text.indexOf('"'); open >= 0; ) {
    const end = endOfString(text, open);
    if (isKey(text, end)) keys += 1;
    open = text.indexOf('"', end);
  }
  return keys;
}

/** Iterative: a value may be nested as deeply as the parser allows. */
function keysIn(value: JsonValue): number {
  let keys = 0;
  const open: (JsonValue | undefined)[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (typeof one !== 'object' || one === null) continue;
    const inner = Array.isArray(one) ? one : Object.values(one);
    if (!Array.isArray(one)) keys += inner.length;
    for (const item of inner) if (typeof item === 'object' && item !== null) open.push(item);
  }
  return keys;
}

function firstRepeated(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    // A list gets a set too, which stays empty.
    if (char === '{' || char === '[') open.push(new Set());
    if (char === '}' || char === ']') open.pop();
    if (char !== '"') continue;
    const end = endOfString(text, at);
    const keys = open.at(-1);
    if (keys && isKey(text, end)) {
      const key = JSON.parse(text.slice(at, end)) as string;
      if (keys.has(key)) return key;
      keys.add(key);
    }
    at = end - 1;
  }
  return undefined;
}

/** Offset after the closing quote of a string. */
function endOfString(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return text[at] === ':';
}
