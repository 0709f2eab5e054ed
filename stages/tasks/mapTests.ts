import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../schemas/json.ts';
import type { TaskTests } from '../../schemas/task.ts';

/** What a task gives besides its tests for calling the solution; undefined where only the tests may have it. */
export interface CallHints {
  readonly func_name: string | undefined;
  readonly starter_code: string | undefined;
}

/** The tests that a column holds, as an object or as JSON text, or what is wrong with them. */
export function mapTests(column: JsonValue, hints: CallHints): TaskTests | { readonly problem: string } {
  const parsed = typeof column === 'string' ? safeParseJson(column) : undefined;
  if (parsed?.ok === false) return { problem: `tests are broken JSON (${parsed.error})` };
  const tests = parsed?.value ?? column;
  if (!isJsonObject(tests)) return { problem: 'tests must be an object' };
  if (tests.stdin !== undefined) return stdinTests(tests);
  if (tests.functional !== undefined) return functionalTests(tests.functional, callHints(tests, hints));
  return { problem: 'tests need "stdin" and "expected_output", or "functional"' };
}

function stdinTests({ stdin, expected_output }: JsonObject): TaskTests | { problem: string } {
  if (!isTextList(stdin) || !isTextList(expected_output)) {
    return { problem: 'tests.stdin and tests.expected_output must be lists of strings' };
  }
  if (stdin.length === 0 || stdin.length !== expected_output.length) {
    return {
      problem: `tests need one expected_output for each stdin, found ${stdin.length} stdin and ${expected_output.length} expected_output`,
    };
  }
  return {
    kind: 'stdin',
    cases: stdin.map((text, at) => ({ stdin: text, expected_output: expected_output[at]! })),
  };
}

function functionalTests(
  functional: JsonValue,
  hints: { readonly func_name?: string; readonly starter_code?: string },
): TaskTests | { problem: string } {
  const checks = typeof functional === 'string' ? splitChecks(functional) : functional;
  if (!isTextList(checks) || checks.length === 0 || checks.some((check) => check.trim() === '')) {
    return { problem: 'tests.functional must be Python text, or a list of such texts' };
  }
  return { kind: 'functional', checks: [...checks], ...hints };
}

function callHints(tests: JsonObject, hints: CallHints) {
  const func_name = hints.func_name ?? tests.func_name;
  const starter_code = hints.starter_code ?? tests.starter_code;
  return {
    ...(typeof func_name === 'string' && func_name !== '' ? { func_name } : {}),
    ...(typeof starter_code === 'string' && starter_code.trim() !== '' ? { starter_code } : {}),
  };
}

/**
 * One check for each `result = ...` / `assert ...` group; what stands before the first group goes before each. A text
 * that is not made of such groups is one check.
 */
export function splitChecks(text: string): string[] {
  // The line feed in front gives a text that begins with a group its (empty) part before.
  const [before = '', ...groups] = `\n${text}`.split(/^(?=result\s*=)/m);
  const regular = groups.length > 0 && groups.every((group) => group.match(/^assert\b/gm)?.length === 1);
  if (!regular) return text.trim() === '' ? [] : [text.trim()];
  const setUp = before.trim() === '' ? '' : `${before.trim()}\n`;
  return groups.map((group) => `${setUp}${group.trim()}`);
}

function isTextList(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
