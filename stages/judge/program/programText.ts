import { sha256Hex } from '../../../base/ids.ts';
import { EQUAL_VALUES, READ_VALUES, WRITE_VALUES } from './pythonValues.ts';

/**
 * What task authors take for granted: LeetCode's signatures use `List` and its solutions the rest. Names and depth of calls are
 * those of LiveCodeBench's runner (`import_string` in `testing_util.py`).
 */
const prelude = [
  ...['string', 're', 'datetime', 'collections', 'heapq', 'bisect', 'copy', 'math', 'random', 'statistics'],
  ...['itertools', 'functools', 'operator', 'io', 'sys', 'json', 'typing'],
]
  .map((name) => `from ${name} import *`)
  // Some bring names of their own for what is built in, such as `pow` without a modulus.
  .concat('from builtins import *')
  .concat('import bisect, collections, copy, datetime, functools, heapq, io, itertools, json, math, operator')
  .concat('import random, re, statistics, string, sys', 'sys.setrecursionlimit(50_000)')
  .join('\n');

/** Most characters of a result that are written: less than a sandbox reads by default. */
const MAX_CHARS = 3_500_000;

/** The beginning of every program that is run for a check: `names` is what the code under test sees. */
const start = `import sys, types
def run(text, names): exec(compile(text, names["__name__"] + ".py", "exec", dont_inherit=True), names)
def module(name):
    made = sys.modules[name] = types.ModuleType(name)
    exec(${pythonText(prelude)}, made.__dict__)
    return made.__dict__
`;

/**
 * A program as a module of its own, with its first lines where they were: `from __future__` must come first, and its `if
 * __name__ == "__main__":` part reads input that a check does not give.
 */
function asModule(program: string): string {
  return `${start}names = module("solution")\nrun(${pythonText(program.replace(/^\uFEFF/, ''))}, names)\n`;
}

/**
 * A program with a call behind it. What the call leaves in `result` is written on a line that begins with `marker`.
 * What the program does to its own names changes nothing of how that is written.
 */
function callingProgram(program: string, call: string, marker: string): string {
  return `${asModule(program)}run(${pythonText(call)}, names)
${WRITE_VALUES}
text = write(names["result"])
sys.__stdout__.write("\\n${marker}" + (text if len(text) <= ${MAX_CHARS} else "") + "\\n")
sys.__stdout__.flush()
`;
}

/** How a checking program ended that could not say whether the result is right. */
export const checkStatus = {
  /** The assertion needs names that only the solution or the call has. */
  missingName: 77,
  /** It asks an iterator for more items than are written. */
  moreItems: 78,
} as const;

/** What a checking program is made of. */
interface CheckingParts {
  /** Python that leaves what the solution returned in `result`; of it only imports are run. */
  readonly call: string;
  /** Python that says what `result` must be. */
  readonly assertion: string;
  /** Relative or absolute difference of equal decimal numbers. */
  readonly tolerance: number;
}

/**
 * The program that checks a result, given on its standard input. It holds nothing of the solution, so that its exit
 * status can be believed.
 */
export function checkingProgram({ call, assertion, tolerance }: CheckingParts): string {
  return `${start}TOLERANCE, MORE_ITEMS = ${tolerance}, ${checkStatus.moreItems}
${READ_VALUES}
${EQUAL_VALUES}
CALL, ASSERTION = ast.parse(${pythonText(call)}), ${pythonText(assertion)}
def names_in(tree, kind): return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, kind)}
def check():
    if names_in(ast.parse(ASSERTION), ast.Load) & names_in(CALL, ast.Store) - {"result"}: return False
    names = module("check")
    imports = [one for one in CALL.body if isinstance(one, (ast.Import, ast.ImportFrom))]
    names.update(EQUAL=equal, EQUAL_PARTS=equal_parts)
    try:
        exec(compile(ast.Module(imports, []), "check.py", "exec", dont_inherit=True), names)
        names["result"] = read(sys.stdin.read())
        exec(compile_check(ASSERTION, "EQUAL", "EQUAL_PARTS"), names)
    except (NameError, ImportError): return False
    return True
if not check(): sys.exit(${checkStatus.missingName})
`;
}

/** A program with one check after it, and the line that it prints once the check has passed. */
interface CheckedProgram {
  readonly code: string;
  readonly passedLine: string;
}

/**
 * Puts a check behind a program, for checks that can't be taken apart (see `splitCallCheck`). Assertions compare data, so
 * that no class of the program equals what is expected by its own word. That the program ended with status 0 proves
 * nothing, since it may call `exit(0)` before the check; so the end prints a hash of the whole. A program that reads its
 * own file finds that hash: such checks are sound against mistakes, not against cheats.
 */
export function withCheck(program: string, check: string, tolerance: number): CheckedProgram {
  const passedLine = sha256Hex(`${program}\n${check}`);
  const equal = `EQUAL_${passedLine}`;
  const code = `${asModule(program)}
${WRITE_VALUES}
TOLERANCE, MORE_ITEMS = ${tolerance}, 1
${READ_VALUES}
${EQUAL_VALUES}
def equal_data(a, b):
    if any(hasattr(type(one), "__next__") for one in (a, b)): return a is b
    texts = write(a), write(b)
    # Objects of the program's classes on both sides: nobody else knows when they are equal.
    if all('["object"' in text for text in texts): return bool(a == b)
    return equal(*map(read, texts))
names["${equal}"] = equal_data
exec(compile_check(${pythonText(check)}, "${equal}"), names)
sys.__stdout__.write("\\n${passedLine}\\n")
`;
  return { code, passedLine };
}

/** A text as Python writes it in its source; JSON's escapes are among Python's. */
function pythonText(text: string): string {
  return JSON.stringify(text.toWellFormed());
}

/** A check taken apart: the program makes the call, and never sees what is expected of it. */
export interface CallCheck {
  /** Python that leaves what the solution returned in `result`. */
  readonly call: string;
  /** Python that says what `result` must be. */
  readonly assertion: string;
}

/**
 * Takes a check of the form `result = ...` / `assert ...` apart, LiveCodeBench's function calls among them. Undefined
 * for a check of another form, and for one that asks `result` for its attributes, which only its own class has.
 */
export function splitCallCheck(check: string): CallCheck | undefined {
  const call = /^result\s*=/m.exec(check);
  const asserts = [...check.matchAll(/^assert\b/gm)];
  const assertion = asserts.length === 1 ? check.slice(asserts[0]!.index) : undefined;
  if (!call || assertion === undefined || asserts[0]!.index < call.index) return undefined;
  if (!/\bresult\b/.test(assertion) || /\bresult\s*\./.test(assertion)) return undefined;
  return { call: check.slice(0, asserts[0]!.index), assertion };
}

/** A program with the call behind it, and the mark of the line that what it returned stands on. */
interface CallingProgram {
  readonly code: string;
  readonly marker: string;
}

/** Puts the call of a check behind a program. */
export function withCall(program: string, { call }: CallCheck): CallingProgram {
  const marker = `${sha256Hex(`${program}\n${call}`)} `;
  return { code: callingProgram(program, call, marker), marker };
}

/** What a call returned, as the program wrote it: empty when that is too long, undefined when it did not get so far. */
export function returnedBy(stdout: string, marker: string): string | undefined {
  const line = stdout.split('\n').findLast((one) => one.startsWith(marker));
  return line?.slice(marker.length);
}
