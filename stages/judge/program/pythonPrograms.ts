import { readFileSync } from 'node:fs';

/** The task's own Python: what stands before every program, and one check of it. */
export interface PythonCheck {
  readonly prefix: string;
  readonly check: string;
  /** The function or method that the check is about, where the task names it. */
  readonly functionName: string | undefined;
}

/** Maximum characters of a result that are written: less than a sandbox reads by default. */
const MAX_CHARS = 3_500_000;

/** Before each call that a check asks for, and before each answer. No secret: whoever prints it says what it returns. */
const MARK = '@@judged@@ ';

/** How a checking program ended that came to no verdict. */
export const checkStatus = {
  /** It asks for more calls than it was given answers. */
  asks: 77,
  /** Only the program itself could say whether the check holds. */
  unjudgeable: 78,
} as const;

/** LiveCodeBench's rule for calls (`grade_call_based`): a program without the class is called by its functions. */
const asksForClass = '"Solution" in globals()';

/**
 * A program with calls behind it, each a line of JSON as {@link checkingProgram} asks for them. It prints each answer as
 * JSON after a mark: what the call returned or raised and, where it returned nothing, how it left its arguments.
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

/** The program that runs a check apart from the solution; it reads {@link checkInput}. */
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

/** What a checking program reads on its standard input: the calls so far, and what the program answered to them. */
export function checkInput(calls: readonly string[], answers: readonly string[]): string {
  return [calls.length, ...calls, ...answers].join('\n');
}

/** The lines of JSON that either program printed after the mark. */
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

/** One text with the modules of `python/`, each after those that it imports; the last one's `main` gets the job. */
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

/** A text as Python writes it in its source; JSON's escapes are among Python's. */
function pythonText(text: string): string {
  return JSON.stringify(text);
}
