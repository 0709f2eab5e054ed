import { readFile, stat } from 'node:fs/promises';
import { isMap, isNode, isScalar, LineCounter, type Node, parse, parseDocument } from 'yaml';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { fileKind } from '../../base/files/fileKind.ts';
import { assertLevels, type JsonValue } from '../../base/json.ts';
import { hasRowEnding } from '../../base/rows/rowFormat.ts';
import { ProblemList, UserError } from '../../base/userError.ts';

/** Maximum size of a configuration; a longer file is probably data. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Maximum YAML mistakes reported; later ones are mostly consequences of the first. */
const MAX_MISTAKES = 20;

/**
 * Parses a YAML value. Throws `Error` for invalid text, and for values that are nested too deep or contain themselves.
 */
export function parseYaml(text: string): JsonValue {
  const value = parse(text) ?? null;
  assertLevels(value);
  return value as JsonValue;
}

export interface ConfigDocument {
  readonly file: string;
  readonly value: unknown;
  /** `--set key=value` of the command line, already applied to `value`. */
  readonly set?: readonly string[];
  /**
   * Line of the key at a path, from 1, or of its nearest ancestor. Undefined if the values were not read from a file.
   */
  lineOf(path: readonly PropertyKey[]): number | undefined;
  /** Original path of a key that was moved within `value`; absent if no key was moved. */
  readonly writtenAt?: (path: readonly PropertyKey[]) => readonly PropertyKey[];
}

/** Formats `file:line: key.path`, the prefix of messages about a configuration. */
export function place(
  { file, set = [], lineOf, writtenAt = (path) => path }: ConfigDocument,
  path: readonly PropertyKey[],
): string {
  const key = writtenAt(path).map(String).join('.');
  const isSet = set.some((pair) => isOneBelowOther(key, pair.split('=')[0]!));
  const line = lineOf(path);
  const where = isSet ? '--set' : line === undefined ? file : `${file}:${line}`;
  return path.length === 0 ? where : `${where}: ${key}`;
}

function isOneBelowOther(one: string, other: string): boolean {
  return one !== '' && (`${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`));
}

/** Reads a YAML or JSON configuration file. Throws `UserError` if it is missing or invalid. */
export async function readConfigDocument(file: string): Promise<ConfigDocument> {
  if (hasRowEnding(file) && !/\.json$/i.test(file))
    throw new UserError(
      `${file}: expected a configuration in YAML, got a file of rows; name it in one at tasks.sources, or give it with --tasks (coa-distill init writes a configuration)`,
    );
  return parseConfigDocument(file, await readText(file));
}

/** Parses the text of a configuration file; `file` is for messages. */
export function parseConfigDocument(file: string, text: string): ConfigDocument {
  const lines = new LineCounter();
  const document = readDocument(text, lines, file);
  const mistakes = document.errors.map(({ code, message, pos: [start] }) => {
    const [first = ''] = message.split('\n');
    const what = code === 'MULTIPLE_DOCS' ? 'expected one document, a second one begins here' : first;
    return `${file}:${lines.linePos(start).line}: not valid YAML: ${what}`;
  });
  if (mistakes.length > 0) throw new ProblemList([...new Set(mistakes)].slice(0, MAX_MISTAKES));
  return {
    file,
    value: readValue(document, file),
    lineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const node = keyNode(document, path.slice(0, length));
        if (node?.range) return lines.linePos(node.range[0]).line;
      }
      return 1;
    },
  };
}

function keyNode(document: ReturnType<typeof parseDocument>, path: readonly PropertyKey[]): Node | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const key = isMap(parent) ? parent.items.find((pair) => isNamed(pair.key, path.at(-1)!))?.key : undefined;
  const node = isNode(key) ? key : document.getIn(path, true);
  return isNode(node) ? node : undefined;
}

function isNamed(key: unknown, name: PropertyKey): boolean {
  return isScalar(key) && String(key.value) === String(name);
}

/** Catches stack overflows of the parser, caused by thousands of brackets. */
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
 * Converts the document to a value. Only this step resolves aliases, so it reports missing anchors, too many aliases
 * and cycles.
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
  const bytes = await readBytes(file);
  const kind = fileKind(bytes);
  if (kind === undefined) return bytes.toString('utf8');
  const what = kind === 'UTF-16' ? 'text in UTF-16; save it as UTF-8' : `a ${kind} file, no text`;
  throw new UserError(`${file}: expected a configuration in YAML, found ${what}`);
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const found = await stat(file);
    if (found.isDirectory())
      throw new UserError(`${file}: expected a configuration file, found a folder; name a file in it`);
    if (found.size > MAX_BYTES)
      throw new UserError(
        `${file}: expected a configuration file, found one of ${found.size} bytes (most: ${MAX_BYTES}); is it a file of tasks?`,
      );
    return await readFile(file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    const what =
      code === 'ENOENT'
        ? 'no such configuration file; name one, or make one with `coa-distill init --profile web`'
        : `cannot be read (${code})`;
    throw new UserError(`${file}: ${what}`, { cause: error });
  }
}
