import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import type { TaskTests } from '../../schemas/task.ts';
import { shown } from '../../schemas/tasks/taskLayout.ts';
import { candidateChecks, jsonCallCheck, splitChecks } from './pythonChecks.ts';
import { looksPacked, unpackTests } from './unpackTests.ts';

interface CallHints {
  readonly func_name: string | undefined;
  readonly starter_code: string | undefined;
  /** Python code placed before the program. */
  readonly import_prefix: string | undefined;
}

/** Parsed tests; undefined for an empty list; or a problem, worded to follow "the tests". */
export type MappedTests = TaskTests | { readonly problem: string } | undefined;

type Pair = readonly [JsonValue, JsonValue];

/** One layout of tests, recognised by its required keys. */
interface TestForm {
  readonly keys: readonly [string, ...string[]];
  read(tests: JsonObject, hints: CallHints): MappedTests;
}

/**
 * Published layouts of tests; the first match counts. Skywork-OR1 and AFM (`skywork.py`, `compute_score`) have
 * `test_code`, `inputs` and `assert_case`; LiveCodeBench's samples, APPS and TACO `inputs`; CodeContests `input`;
 * AFM's rows of LiveCodeBench and CodeForces `stdin` and `functional`.
 */
const forms: readonly TestForm[] = [
  { keys: ['stdin', 'expected_output'], read: pairsUnder('stdin', 'expected_output') },
  { keys: ['functional'], read: ({ functional }, hints) => functionalTests(functional!, hints) },
  { keys: ['test_code', 'entry_point'], read: candidateTests },
  { keys: ['inputs', 'outputs'], read: pairsUnder('inputs', 'outputs') },
  { keys: ['input', 'output'], read: pairsUnder('input', 'output') },
  { keys: ['assert_case'], read: ({ assert_case }, hints) => functionalTests(assert_case!, hints) },
];

/** Tests in a column: an object, a list of cases, JSON text of either, or such text packed by LiveCodeBench. */
export function mapTests(column: JsonValue, given: CallHints): MappedTests {
  if (typeof column !== 'string') return testsIn(column, given);
  if (looksPacked(column)) {
    const unpacked = unpackTests(column);
    if ('problem' in unpacked) return { problem: `can't be unpacked: ${unpacked.problem}` };
    return testsInText(unpacked.text, given);
  }
  return testsInText(column, given);
}

function testsInText(text: string, given: CallHints): MappedTests {
  if (/^def check\(/m.test(text))
    return candidateTests({ test_code: text, entry_point: given.func_name ?? null }, given);
  const parsed = safeParseJson(text);
  if (parsed.ok) return testsIn(parsed.value, given);
  const isProgram = /^(?:import|from|def|class|assert)\s/m.test(text);
  return {
    problem: isProgram
      ? 'are a program without "def check(candidate):"'
      : `are broken JSON (${parsed.error})`,
  };
}

function testsIn(tests: JsonValue, given: CallHints): MappedTests {
  if (Array.isArray(tests))
    return isAssertions(tests) ? functionalTests(tests, given) : listedCases(tests, given);
  if (!isJsonObject(tests)) return { problem: 'must be an object or a list of cases' };
  const form = forms.find(({ keys }) => tests[keys[0]] !== undefined && tests[keys[0]] !== null);
  return form ? form.read(tests, callHints(tests, given)) : { problem: unknownForm(tests) };
}

/** True for MBPP's list of statements; a list of other texts is one of answers. */
function isAssertions(list: readonly JsonValue[]): boolean {
  return list.length > 0 && list.every((item) => typeof item === 'string' && /\bassert\b/.test(item));
}

function unknownForm(tests: JsonObject): string {
  const known = forms.map(({ keys }) => keys.map((key) => JSON.stringify(key)).join(' and '));
  const found = Object.keys(tests).map((key) => JSON.stringify(key));
  return `need ${known.join(', or ')}, found ${found.join(', ').slice(0, 200) || 'no keys'}`;
}

/** Cases in the layout of LiveCodeBench and open-r1/codeforces: `{input, output, testtype?}`. */
function listedCases(list: readonly JsonValue[], hints: CallHints): MappedTests {
  const cases = list.filter(isJsonObject);
  if (cases.length < list.length) return { problem: 'must be a list of objects with "input" and "output"' };
  const types = new Set(cases.map(({ testtype }) => testtype ?? 'stdin'));
  if (types.size > 1) return { problem: 'have more than one "testtype"' };
  const isCalled = types.has('functional');
  if (isCalled && hints.func_name === undefined) {
    return { problem: 'are calls ("testtype": "functional") of a function that the row does not name' };
  }
  const pairs = cases.map(({ input = null, output = null }): Pair => [input, output]);
  return pairedTests(pairs, { ...hints, func_name: isCalled ? hints.func_name : undefined });
}

/** Reads two lists of equal length under these keys. */
function pairsUnder(inputsKey: string, outputsKey: string): TestForm['read'] {
  return ({ [inputsKey]: inputs, [outputsKey]: outputs }, hints) => {
    if (!Array.isArray(inputs) || !Array.isArray(outputs))
      return { problem: `must have lists of strings in "${inputsKey}" and "${outputsKey}"` };
    if (inputs.length !== outputs.length) {
      const found = `found ${inputs.length} ${inputsKey} and ${outputs.length} ${outputsKey}`;
      return { problem: `need one ${outputsKey} for each ${inputsKey}, ${found}` };
    }
    const pairs = inputs.map((input, at): Pair => [input, outputs[at]!]);
    return pairedTests(pairs, inputsKey === 'stdin' ? { ...hints, func_name: undefined } : hints);
  };
}

/** Builds cases of input and output, for a program or for the named function. */
function pairedTests(pairs: readonly Pair[], hints: CallHints): MappedTests {
  if (pairs.length === 0) return undefined;
  if (hints.func_name !== undefined) return calledTests(hints.func_name, pairs, hints);
  const cases = pairs.flatMap(([input, output]) => {
    const [stdin, expected_output] = [linesOf(input), linesOf(output)];
    return stdin === undefined || expected_output === undefined ? [] : [{ stdin, expected_output }];
  });
  if (cases.length === pairs.length) return { kind: 'stdin', cases };
  return { problem: 'must have texts, or lists of lines, as input and output' };
}

/** Joins a text given as a list of lines (APPS and TACO; `testing_util.py` joins them). */
function linesOf(item: JsonValue): string | undefined {
  const lines = [item].flat();
  return lines.every((line) => typeof line === 'string' || (typeof line === 'number' && line !== item))
    ? lines.join('\n')
    : undefined;
}

/**
 * Builds calls from LiveCodeBench's texts, one JSON argument per line, or from APPS's values: a list of arguments and
 * a result.
 */
function calledTests(name: string, pairs: readonly Pair[], hints: CallHints): MappedTests {
  if (!/^[A-Za-z_]\w*$/.test(name)) return { problem: `call ${JSON.stringify(name)}, which is not a name` };
  const isText = isTextList(pairs.flat(1));
  if (!isText && !pairs.every(([input]) => Array.isArray(input)))
    return { problem: 'of a function must be lists of arguments' };
  const calls = pairs.map(([input, output]) => ({
    args: isText
      ? String(input).trimEnd()
      : [input]
          .flat()
          .map((argument) => JSON.stringify(argument))
          .join('\n'),
    expected: isText ? String(output) : JSON.stringify(output),
  }));
  const texts = calls.flatMap(({ args, expected }) => [...args.split('\n'), expected]);
  const broken = texts.find((text) => !safeParseJson(text).ok);
  if (broken !== undefined)
    return { problem: `of a function must be JSON, one argument a line, found ${shown(broken)}` };
  const checks = calls.map(({ args, expected }) => jsonCallCheck(name, args, expected, !isText));
  return { kind: 'functional', checks, ...presentHints(hints) };
}

function candidateTests(tests: JsonObject, hints: CallHints): MappedTests {
  const { test_code, entry_point } = tests;
  if (typeof test_code !== 'string' || typeof entry_point !== 'string') {
    return { problem: 'must have texts in "test_code" and "entry_point"' };
  }
  if (!/^[A-Za-z_][\w.]*(?:\(\)\.[A-Za-z_]\w*)?$/.test(entry_point)) {
    return { problem: `have the "entry_point" ${JSON.stringify(entry_point)}, which is not a name to call` };
  }
  const checks = candidateChecks(test_code, entry_point);
  if (!checks) return { problem: 'must have "def check(...):" and assertions below' };
  const func_name = /\w+$/.exec(entry_point)![0];
  // HumanEval's prompt is the start of the program: imports and other functions, then the requested one.
  const before = hints.starter_code?.split(new RegExp(`^def ${func_name}\\(`, 'm')).at(-2);
  const import_prefix = textIn(tests.import_prefix) ?? before ?? hints.import_prefix;
  return { kind: 'functional', checks: [...checks], ...presentHints({ ...hints, func_name, import_prefix }) };
}

function functionalTests(functional: JsonValue, hints: CallHints): MappedTests {
  const checks = typeof functional === 'string' ? splitChecks(functional) : functional;
  if (!isTextList(checks) || checks.length === 0 || checks.some((check) => check.trim() === '')) {
    return { problem: 'must be Python text, or a list of such texts' };
  }
  return { kind: 'functional', checks: [...checks], ...presentHints(hints) };
}

/** Call details from the row, otherwise from the tests (`fn_name` in Skywork-OR1 and APPS). */
function callHints(tests: JsonObject, given: CallHints): CallHints {
  return {
    func_name: given.func_name ?? textIn(tests.func_name) ?? textIn(tests.fn_name),
    starter_code: given.starter_code ?? textIn(tests.starter_code),
    import_prefix: given.import_prefix,
  };
}

function textIn(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function presentHints({ func_name, starter_code, import_prefix }: CallHints) {
  return {
    ...(func_name ? { func_name } : {}),
    ...(starter_code?.trim() ? { starter_code } : {}),
    ...(import_prefix?.trim() ? { import_prefix } : {}),
  };
}

function isTextList(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
