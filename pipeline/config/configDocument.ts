import { readFile } from 'node:fs/promises';
import { isNode, LineCounter, parse, parseDocument } from 'yaml';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { assertLevels, type JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';

/** Parses a YAML value. Throws `Error` for other text, and for a value that is nested too deep or holds itself. */
export function parseYaml(text: string): JsonValue {
  const value = parse(text) ?? null;
  assertLevels(value);
  return value as JsonValue;
}

/** A configuration file as it was written, with the places of its keys. */
export interface ConfigDocument {
  /** As it was named by the user. */
  readonly file: string;
  readonly value: unknown;
  /** Line of the value at a path of keys, from 1; the nearest enclosing one where the path leads nowhere. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** Reads a YAML (or JSON) configuration file. Throws `UserError` when it is missing or no YAML. */
export async function readConfigDocument(file: string): Promise<ConfigDocument> {
  return parseConfigDocument(file, await readText(file));
}

/** Parses the text of a configuration file; `file` is for messages. */
export function parseConfigDocument(file: string, text: string): ConfigDocument {
  const lines = new LineCounter();
  const document = readDocument(text, lines, file);
  const [error] = document.errors;
  if (error) {
    const [first = ''] = error.message.split('\n');
    const what = error.code === 'MULTIPLE_DOCS' ? 'expected one document, a second one begins here' : first;
    throw new UserError(`${file}:${lines.linePos(error.pos[0]).line}: not valid YAML: ${what}`);
  }
  return {
    file,
    value: readValue(document, file),
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
      }
      return 1;
    },
  };
}

/** Thousands of brackets overflow the parser's stack. */
function readDocument(
  text: string,
  lineCounter: LineCounter,
  file: string,
): ReturnType<typeof parseDocument> {
  try {
    return parseDocument(text, { lineCounter, prettyErrors: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UserError(`${file}: not valid YAML: nested too deep`, { cause: error });
  }
}

/**
 * The document's value. Aliases are followed only here: one without anchor, far too many, or one that holds itself is
 * the file's mistake.
 */
function readValue(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    const value: unknown = document.toJS();
    assertLevels(value);
    return value;
  } catch (error) {
    throw new UserError(`${file}: not valid YAML: ${(error as Error).message}`, { cause: error });
  }
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') {
      throw new UserError(
        `${file}: no such configuration file; name one, or make one with \`coa-distill init --profile web\``,
      );
    }
    if (code !== undefined) throw new UserError(`${file}: cannot be read (${code})`, { cause: error });
    throw error;
  }
}
