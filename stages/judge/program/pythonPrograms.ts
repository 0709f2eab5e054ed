import { readFileSync } from 'node:fs';

/** Python of the task: code before every program, and one check. */
export interface PythonCheck {
  readonly prefix: string;
  readonly check: string;
  /** Function or method under test, if the task names it. */
  readonly functionName: string | undefined;
}

/** Maximum characters of a result that are written: below a sandbox's default limit. */
const MAX_CHARS = 3_500_000;

/**
 * Prefix of each requested call and each answer. Not a secret: a program that prints it only states its own result.
 */
const MARK = '@@judged@@ ';

/** Exit codes of a checking program without a verdict. */
export const checkStatus = {
  /** Asks for more calls than were answered. */
  asks: 77,
  /** Only the program itself could decide the check. */
  unjudgeable: 78,
} as const;

/** LiveCodeBench's rule for calls (`grade_call_based`): without the class, functions are called. */
const asksForClass = '"Solution" in globals()';

/**
 * A program with appended calls, each a line of JSON from {@link checkingProgram}. It prints each answer as JSON
 * after a mark: the returned or raised value and, without a return value, the modified arguments.
 */
export function callingProgram(
  program: string,
  { prefix, check }: PythonCheck,
  calls: readonly string[],
): string {
  return pythonProgram(['coa_values', 'coa_task', 'coa_calls'], {
    prefix,
    program: program.replace(/^\uFEFF/, ''),
    calls,
    asks_for_class: check.includes(asksForClass),
    mark: MARK,
    max_chars: MAX_CHARS,
  });
}

/** Program that runs a check apart from the solution; it reads {@link checkInput}. */
export function checkingProgram({ prefix, check, functionName }: PythonCheck, tolerance: number): string {
  const modules = [
    'coa_values',
    'coa_equality',
    'coa_task',
    'coa_stand_ins',
    'coa_names',
    'coa_checking',
  ] as const;
  const job = { prefix, check, function: functionName ?? null, tolerance, mark: MARK, statuses: checkStatus };
  return pythonProgram(modules, job);
}

/** Standard input of a checking program: the calls so far and their answers. */
export function checkInput(calls: readonly string[], answers: readonly string[]): string {
  return [calls.length, ...calls, ...answers].join('\n');
}

/** Lines of JSON printed after the mark. */
export function markedLines(stdout: string): string[] {
  return stdout.split('\n').flatMap((line) => (line.startsWith(MARK) ? [line.slice(MARK.length)] : []));
}

const load = `import json, sys, types
def load(name, text):
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(text, name + ".py", "exec", dont_inherit=True), module.__dict__)
    return module
`;

const texts = new Map<string, string>();

/** Concatenates modules of `python/` in import order; the last one's `main` gets the job. */
export function pythonProgram(modules: readonly string[], job: unknown): string {
  const loads = modules.map((name) => `main = load("${name}", ${textOf(name)})\n`);
  const wellFormed = (_key: string, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value;
  return `${load}${loads.join('')}main.main(json.loads(${pythonText(JSON.stringify(job, wellFormed))}))\n`;
}

function textOf(name: string): string {
  const known =
    texts.get(name) ?? pythonText(readFileSync(new URL(`python/${name}.py`, import.meta.url), 'utf8'));
  texts.set(name, known);
  return known;
}

/** Python string literal; JSON's escapes are valid in Python. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
