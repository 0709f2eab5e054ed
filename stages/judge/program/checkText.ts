import { opening, type PythonCheck, pythonText } from './programText.ts';
import { EQUAL_VALUES } from './pythonValues.ts';

/** How a checking program ended that came to no verdict. */
export const checkStatus = {
  /** It asks for more calls than it was given answers. */
  asks: 77,
  /** Only the program itself could say whether the check holds. */
  unjudgeable: 78,
} as const;

/** What a checking program reads on its standard input: the calls so far, and what the program answered to them. */
export function checkInput(calls: readonly string[], answers: readonly string[]): string {
  return [calls.length, ...calls, ...answers].join('\n');
}

/**
 * The program that runs a check, with stand-ins for what it takes from the solution: calls of theirs are looked up in
 * {@link checkInput}. It never held the solution, so its exit status can be believed: 0 where the check holds.
 *
 * A call without an answer is asked for, and the check goes on as far as it can without it: past assertions about it,
 * which may ask for more. Then the status is `asks`, and the calls are printed.
 */
export function checkProgram({ prefix, check, functionName }: PythonCheck, tolerance: number): string {
  return `${opening('check', prefix)}TOLERANCE = ${tolerance}
${EQUAL_VALUES}
import base64, builtins, marshal, os, random
count, *lines = sys.stdin.read().split("\\n")
calls, answers = lines[:int(count)], lines[int(count):]
asked, MOST_CALLS = [], 10_000
class Unknown(Exception): pass
class Pending: any = in_assertion = False
${STAND_INS}
tree = ast.parse(${pythonText(check)})
${NAMES_OF_SOLUTION}
remote = names_of_solution(${functionName === undefined ? 'None' : pythonText(functionName)})
refuse_unjudgeable()
for name in remote: names[name] = StandIn(["name", name], name, True)
def assertion(begins):
    Pending.in_assertion = begins
    return Pending.any
names.update(EQUAL=equal, EQUAL_PARTS=equal_parts, ASSERTION=assertion)
tree = ast.fix_missing_locations(Comparisons().visit(tree))
out, sys.stdout = sys.stdout, open(os.devnull, "w")
random.seed(0)
try: exec(compile(tree, "check.py", "exec", dont_inherit=True), names)
except BaseException as error:
    if not Pending.any: raise error if isinstance(error, Exception) else AssertionError(repr(error))
if Pending.any:
    out.write("".join("\\n" + MARK + call for call in asked) + "\\n")
    out.flush()
    os._exit(${checkStatus.asks})
`;
}

/**
 * Python: what stands for objects of the solution's process. A name, what a call returned, or a part of that which is not
 * data: an object of a class that only the solution has.
 *
 * Such an object equals nothing but itself, and what every kind of data has is not asked of it: it could say what it likes.
 * But for what the check makes itself outside of its assertions, as `stack = Stack()`: then the solution's class is what is
 * checked. Even that is not compared or reckoned with data.
 */
const STAND_INS = `
DATA_NAMES = {"all", "any", "equals"}.union(*map(dir, (str, list, dict, set, tuple, int, float, complex, bytes, type(None))))
class StandIn:
    __slots__ = ("_ref_", "_kind_", "_open_")
    def __init__(self, ref, kind, is_open): self._ref_, self._kind_, self._open_ = ref, kind, is_open
    def __getattr__(self, name):
        if not self._open_ and name in DATA_NAMES: raise AttributeError(f"{self!r} has no {name}")
        if name[:2] == "__" and name not in ASKED: raise AttributeError(name)
        return ask("get", self._ref_, name, [])
    def __call__(self, *args, **keywords):
        nodes, objects = write((args, keywords))
        return ask("call", self._ref_, nodes, objects)
    def __eq__(self, other):
        if is_pending(self) or is_pending(other): return held_to_be_true()
        return isinstance(other, StandIn) and self._ref_ == other._ref_
    def __bool__(self):
        return held_to_be_true() if is_pending(self) else True
    def __hash__(self): return hash(str(self._ref_))
    def __repr__(self): return self.__getattr__("__repr__")() if self._open_ and not is_pending(self) else f"an object of class {self._kind_}"
    def __str__(self): return self.__getattr__("__str__")() if self._open_ and not is_pending(self) else repr(self)
ASKED_OF_ONE = [f"__{name}__" for name in "len iter next getitem setitem delitem int float index enter exit".split()]
ASKED_OF_TWO = [f"__{name}__" for name in "add sub mul truediv floordiv mod pow lt le gt ge".split()]
ASKED = {*ASKED_OF_ONE, *ASKED_OF_TWO, "__repr__", "__str__"}
STANDS_IN = StandIn
def is_pending(value): return isinstance(value, StandIn) and value._kind_ is None
def operator_of(name):
    def apply(self, *args):
        if is_pending(self) or any(map(is_pending, args)): return held_to_be_true()
        if name in ASKED_OF_TWO and not isinstance(args[0], StandIn): return NotImplemented
        return self.__getattr__(name)(*args)
    return apply
def held_to_be_true():
    "What an assertion says of a pending answer holds until it is known: so that the rest of it is asked for as well."
    if not Pending.in_assertion: raise Unknown
    return True
for name in ASKED_OF_ONE + ASKED_OF_TWO: setattr(StandIn, name, operator_of(name))
def ask(kind, ref, what, objects):
    at = len(asked)
    if at == MOST_CALLS: raise Unknown
    asked.append(json.dumps([kind, ref, what], separators=(",", ":")))
    if Pending.any or at >= len(calls) or not is_asked(at, kind, ref, what):
        Pending.any = True
        return StandIn(["answer", at], None, True)
    answer = json.loads(answers[at])
    known.append(None)
    if "raised" in answer:
        error = error_of(*answer["raised"])
        ends_iteration = isinstance(error, (StopIteration, StopAsyncIteration)) and not is_next(kind, ref, what)
        # As in a generator: \`map\` and \`for\` would take it for the end of what they go through.
        raise RuntimeError(f"the program raised {error!r}") if ends_iteration else error
    def outside(n, tag, facts):
        if tag != "object": raise ValueError(f"unknown data {tag}")
        return StandIn(["part", at, n], str(facts[0]), False)
    kept = {n: objects[m] for n, m in answer["given"]}
    value = read(answer["nodes"], outside, kept)[-1][0][0]
    if value is not None and kept: raise ValueError("arguments are looked at where nothing is returned")
    if isinstance(value, StandIn):
        is_made = kind == "call" and ref[0] == "name" and ref[1][:1].isupper()
        is_open = is_made and (ref[1] == "Solution" or not Pending.in_assertion)
        value = StandIn(["answer", at], value._kind_, is_open)
    known[-1] = value
    return value
known = []
def is_next(kind, ref, what):
    if kind == "get": return what == "__next__"
    return ref[0] == "answer" and json.loads(asked[ref[1]])[::2] == ["get", "__next__"]
def is_asked(at, *call):
    "Whether a call was asked for in these words, or with an answer in its arguments that was pending then."
    if calls[at] == asked[at]: return True
    kind, ref, what = json.loads(calls[at])
    def outside(n, tag, facts): return known[facts[0][1]] if tag == "ref" and facts[0][0] == "answer" else None
    return [kind, ref] == [*call[:2]] and kind == "call" and write(read(what, outside)[-1][0])[0] == call[2]
def error_of(name, message):
    kind = CLASSES.get(name, getattr(builtins, name, Exception))
    if not (isinstance(kind, type) and issubclass(kind, Exception)): kind = Exception
    try: return kind(message)
    except TypeError: return Exception(message)
def take_outside(value):
    if isinstance(value, StandIn): return "ref", [value._ref_], []
    if isinstance(value, types.FunctionType) and value.__module__ == "check" and not value.__closure__:
        return "function", [base64.b64encode(marshal.dumps(value.__code__)).decode("ascii"), value.__name__], []
    if getattr(sys.modules.get(value.__module__), value.__qualname__, None) is not value: raise TypeError("can't be handed over")
    return "global", [value.__module__, value.__qualname__], []
`;

/**
 * Python: which names of a check are the solution's. Those that nothing else gives; and where there are none, the first that
 * is called: a solution may be called `sum` or `merge`. Nobody else can judge a check that defines a function which only
 * the solution can be meant to call, or that compares with an object of the solution's own class.
 *
 * Assertions that fail while an answer is pending are passed over; `==` in them compares data, see `EQUAL_VALUES`.
 */
const NAMES_OF_SOLUTION = `
BINDS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
nodes = list(ast.walk(tree))
loaded = [one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
bound = {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
bound |= {one.name for one in nodes if isinstance(one, BINDS)} | {one.arg for one in nodes if isinstance(one, ast.arg)}
bound |= {(one.asname or one.name).split(".")[0] for one in nodes if isinstance(one, ast.alias)}
bound |= {one.name for one in nodes if isinstance(one, ast.ExceptHandler)}
def names_of_solution(function):
    found = {name for name in loaded if name not in bound and (name == function or name not in names and not hasattr(builtins, name))}
    called = [one.func.id for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    return found or set([name for name in called if name not in bound and (name in common or hasattr(builtins, name))][:1])
def refuse_unjudgeable():
    unused = [one.name for one in tree.body if isinstance(one, BINDS[:2]) and one.name not in loaded]
    expected = [part for one in nodes if isinstance(one, ast.Compare) for side in one.comparators for part in own_parts(side)]
    made = [one.func.id for one in expected if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    made = [name for name in made if name in remote and name[:1].isupper()]
    if unused: refuse(f"defines {unused[0]}, which only the program can be meant to call")
    if made: refuse(f"compares with an object of {made[0]}, a class of the program's own")
def refuse(why):
    sys.stderr.write(f"the check {why}")
    sys.stderr.flush()
    os._exit(${checkStatus.unjudgeable})
def own_parts(side):
    yield side
    if isinstance(side, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
        for part in ast.iter_child_nodes(side): yield from own_parts(part)
class Comparisons(ast.NodeTransformer):
    def call(self, name, node):
        if len(node.ops) > 1 or not isinstance(node.ops[0], ast.Eq): return node
        return ast.Call(ast.Name(name, ast.Load()), [node.left, *node.comparators], [])
    def visit_Assert(self, node):
        if isinstance(node.test, ast.Compare): node.test = self.call("EQUAL", node.test)
        guarded = ast.parse("ASSERTION(True)\\ntry: pass\\nexcept Exception:\\n    if not ASSERTION(False): raise\\nASSERTION(False)").body
        guarded[1].body = [self.generic_visit(node)]
        return guarded
    def visit_Compare(self, node): return self.call("EQUAL_PARTS", self.generic_visit(node))
`;
