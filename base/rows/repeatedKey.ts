import type { JsonValue } from '../json.ts';

/**
 * The first key that a JSON text has twice in one object: parsing keeps the last value and drops the others without a
 * word. Undefined where there is none. Keys are counted in the text and in what was parsed of it; only where the counts
 * differ is the text read closely.
 *
 * @param value what the text says
 */
export function repeatedKey(text: string, value: JsonValue): string | undefined {
  return writtenKeys(text) === keysIn(value) ? undefined : firstRepeated(text);
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

function keysIn(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) for (const item of value as JsonValue[]) keys += keysIn(item);
  else for (const item of Object.values(value)) keys += 1 + keysIn(item);
  return keys;
}

function firstRepeated(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    // A list has a set too, which stays empty.
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

/** Where the string that opens at a quote is over: behind its second quote. */
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
