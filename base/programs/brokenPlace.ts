import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Place and reason of a program's failure, from its final output: `tool.ts:3: Unexpected token`. Reads the forms of
 * Node (`FILE:LINE` on its own line, then `SyntaxError: ...`) and Python (`File "FILE", line LINE`, the innermost
 * last; the error in the last line). Paths are relative to the program's folder.
 */
export function brokenPlace(printed: string, program: string): string {
  const lines = printed.trimEnd().split(/\r?\n/);
  const error =
    lines.findLast((line) => /^\w*(?:Error|Exception|Interrupt|Exit)\b/.test(line)) ?? lines.at(-1)!;
  const places = (form: RegExp) =>
    lines.map((line) => form.exec(line)?.groups).filter((place) => place !== undefined);
  const place = missingImport(error) ?? places(ofNode)[0] ?? places(ofPython).at(-1);
  const file = path.relative(path.dirname(program), place?.file ?? program);
  return `${file}:${place ? `${place.line}:` : ''} ${error.replace(/^\w+(?: \[\w+\])?: /, '')}`;
}

const ofNode = /^(?:file:\/\/)?(?<file>\/.+):(?<line>\d+)$/;
const ofPython = /^\s*File "(?<file>\/[^"]+)", line (?<line>\d+)/;

/** Node names the importing file without the line. */
function missingImport(error: string) {
  const [, wanted, file] = /Cannot find (?:module|package) '([^']+)' imported from (\S+)$/.exec(error) ?? [];
  if (file === undefined || !existsSync(file)) return undefined;
  const name = path.basename(wanted!);
  const at = readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => /from|import|require/.test(line) && line.includes(name));
  return { file, line: Math.max(at, 0) + 1 };
}
