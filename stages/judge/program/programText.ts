import { VALUES } from './pythonValues.ts';

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

/** The task's own Python: what stands before every program, and one check of it. */
export interface PythonCheck {
  readonly prefix: string;
  readonly check: string;
  /** The function or method that the check is about, where the task names it. */
  readonly functionName: string | undefined;
}

/** Most characters of a result that are written: less than a sandbox reads by default. */
const MAX_CHARS = 3_500_000;

/** Before each call that a check asks for, and before each answer. No secret: whoever prints it says what it returns. */
const MARK = '@@judged@@ ';

/**
 * The beginning of both programs. Each runs the task's own Python first, so that objects of its classes can cross: `names`
 * is what it leaves, as a module with the name that is given.
 */
export function opening(moduleName: string, prefix: string): string {
  return `import sys, types
def run(text, names): exec(compile(text, names["__name__"] + ".py", "exec", dont_inherit=True), names)
def module(name):
    made = sys.modules[name] = types.ModuleType(name)
    exec(${pythonText(prelude)}, made.__dict__)
    return made.__dict__
${VALUES}
MARK = ${pythonText(MARK)}
names = module("${moduleName}")
common = set(names)
run(${pythonText(prefix)}, names)
CLASSES.update((name, one) for name, one in names.items() if isinstance(one, type) and one.__module__ == "${moduleName}")
`;
}

/** LiveCodeBench's rule for calls (`grade_call_based`): a program without the class is called by its functions. */
const asksForClass = '"Solution" in globals()';

/**
 * A program with calls behind it, each a line of JSON as {@link checkProgram} asks for them. The answers are printed as JSON
 * after {@link MARK}: what each call returned or raised and, where it returned nothing, how it left its arguments.
 *
 * The program is a module of its own, with its first lines where they were: `from __future__` must come first, and its `if
 * __name__ == "__main__":` part reads input that a check does not give. Nothing of what is expected is in this process,
 * and nothing that it says is believed but as the data that it returns.
 */
export function callingProgram(
  program: string,
  { prefix, check }: PythonCheck,
  calls: readonly string[],
): string {
  return `${opening('solution', prefix)}import base64, importlib, marshal, os
out = os.dup(1)
def take_outside(value): return "object", [type(value).__name__], []
def outside(n, tag, facts):
    if tag == "ref": return resolve(*facts[0])
    if tag == "global": return getattr(importlib.import_module(facts[0]), facts[1])
    return types.FunctionType(marshal.loads(base64.b64decode(facts[0])), names, facts[1])
results, held = [], []
def resolve(kind, at, n=None):
    if kind == "part": return held[at][n]
    if kind == "answer": return results[at]
    if at not in names: raise NameError(f"name {at!r} is not defined")
    return names[at]
def answer(kind, ref, what):
    results.append(None)
    held.append([])
    if kind == "get": given, value = [], getattr(resolve(*ref), what)
    else:
        given = read(what, outside)
        args, keywords = given[-1][0]
        value = resolve(*ref)(*args, **keywords)
    results[-1], numbers_of = value, {}
    if value is None and write(given[-1][0] if given else None)[0] != what:
        numbers_of = {id(one): n for n, one in enumerate(given) if isinstance(one, CHANGEABLE) or type(one).__name__ in CLASSES}
    changed = [one for one in given if id(one) in numbers_of]
    nodes, held[-1] = write([value, changed])
    return {"nodes": nodes, "given": [[n, numbers_of[id(one)]] for n, one in enumerate(held[-1]) if id(one) in numbers_of]}
def say(said):
    text = json.dumps(said, separators=(",", ":"))
    if len(text) > ${MAX_CHARS}: text = json.dumps({"raised": ["OverflowError", "a result of more than ${MAX_CHARS} characters"]})
    left = ("\\n" + MARK + text + "\\n").encode("ascii")
    while left: left = left[os.write(out, left):]
run(${pythonText(program.replace(/^\uFEFF/, ''))}, names)
${check.includes(asksForClass) ? 'names.setdefault("Solution", lambda: sys.modules["solution"])' : ''}
for call in ${pythonText(calls.join('\n'))}.splitlines():
    try: said = answer(*json.loads(call))
    except Exception as error: said = {"raised": [type(error).__name__, str(error)[:1000]]}
    say(said)
os._exit(0)
`;
}

/** The lines of JSON that either program printed after {@link MARK}. */
export function markedLines(stdout: string): string[] {
  return stdout.split('\n').flatMap((line) => (line.startsWith(MARK) ? [line.slice(MARK.length)] : []));
}

/** A text as Python writes it in its source; JSON's escapes are among Python's. */
export function pythonText(text: string): string {
  return JSON.stringify(text.toWellFormed());
}
