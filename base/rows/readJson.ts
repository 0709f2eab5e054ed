import path from 'node:path';
import { isJsonObject, type JsonValue, parseJson } from '../json.ts';
import { UserError } from '../userError.ts';
import { rowBytes } from './rowBytes.ts';
import type { FileRow } from './rowFile.ts';
import { textLines } from './textLines.ts';

/** Rows of a JSON file: a list, or an object with the list under `data`. The whole file is held in memory. */
export async function* readJson(file: string): AsyncGenerator<FileRow> {
  const list = listIn(parseFile(file, await wholeText(file)));
  if (!list) {
    throw new UserError(
      `${path.basename(file)}: expected a JSON list of rows, or {"data": [...]}; one object a line is .jsonl`,
    );
  }
  for (const [index, value] of list.entries()) {
    const row = index + 1;
    yield isJsonObject(value) ? { row, value } : { row, problem: 'expected a JSON object' };
  }
}

/** Node holds no longer text. */
const MAX_JSON_BYTES = 512 * 1024 * 1024;

async function wholeText(file: string): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const bytes of rowBytes(file)) {
    size += bytes.length;
    if (size > MAX_JSON_BYTES)
      throw new UserError(
        `${path.basename(file)}: more than ${MAX_JSON_BYTES} bytes of JSON; write one object a line, as .jsonl`,
      );
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function parseFile(file: string, text: string): JsonValue {
  try {
    return parseExactJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UserError(
      `${path.basename(file)}: broken JSON (${(error as SyntaxError).message}); fix the file`,
    );
  }
}

function listIn(value: JsonValue): readonly JsonValue[] | undefined {
  const list = isJsonObject(value) ? value.data : value;
  return Array.isArray(list) ? list : undefined;
}

/** Rows of a JSONL file, one line in memory at a time. Blank lines are passed over. */
export async function* readJsonLines(file: string): AsyncGenerator<FileRow> {
  let row = 0;
  for await (const line of textLines(file)) {
    row += 1;
    if (line === undefined) yield { row, problem: 'not UTF-8' };
    else if (line.trim() !== '') yield { row, ...readLine(line) };
  }
}

function readLine(line: string) {
  try {
    const value = parseExactJson(line);
    return isJsonObject(value) ? { value } : { problem: 'expected a JSON object' };
  } catch (error) {
    return { problem: `broken JSON (${(error as SyntaxError).message})` };
  }
}

/** Numbers this long may not fit a double; shorter ones do, and the slow way is not needed. */
const longNumber = /\d{16}/;

/**
 * Parses JSON; integers that a double would change are given as text, so that they keep all their digits.
 * Throws `SyntaxError`.
 */
export function parseExactJson(text: string): JsonValue {
  return longNumber.test(text) ? parseJson(text, { reviver: keepDigits }) : parseJson(text);
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const inexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return inexact ? (context?.source ?? String(value)) : value;
}
