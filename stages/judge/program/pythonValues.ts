/**
 * Python: `write(value)` gives a text that `READ_VALUES` reads back in another process. Data of Python's own types, and
 * numpy's, come back as what they were; an object of any other class comes back as one that equals nothing. No method
 * that a class of the program defines decides what is written of data.
 *
 * The text is a list of nodes, children before parents, so that neither depth nor shared parts matter. A part that
 * contains itself is a `ValueError`.
 */
export const WRITE_VALUES = `
import collections, datetime, decimal, fractions, itertools, json, numbers, sys
getattr(sys, "set_int_max_str_digits", int)(0)
MOST_ITEMS = 10_000
ATOMS = ((bool, bool), (int, int.__int__), (float, float.__float__), (str, str.__str__), (numbers.Integral, int))
CONTAINERS = (list, tuple, set, frozenset)
VIEWS = {type({}.keys()): "keys", type({}.values()): "values", type({}.items()): "items"}
DATES = {
    datetime.date: "year month day",
    datetime.datetime: "year month day hour minute second microsecond",
    datetime.time: "hour minute second microsecond",
    datetime.timedelta: "days seconds microseconds",
}
def atom(value):
    for kind, plain in ATOMS:
        if isinstance(value, kind): return plain(value)
    isReal = isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational)
    return float(value) if isReal else None
def is_node(value, plain): return plain is None and value is not None
def pairs(items): return [part for pair in items for part in pair]
def take_apart(value):
    "Its tag, what is plain about it, and its parts."
    for kind in CONTAINERS:
        if isinstance(value, kind): return kind.__name__, [], list(kind.__iter__(value))
    for kind in (collections.OrderedDict, collections.Counter, dict):
        if isinstance(value, kind): return kind.__name__, [], pairs(kind.items(value))
    if isinstance(value, collections.deque):
        return "deque", [value.maxlen], list(collections.deque.__iter__(value))
    if type(value) in VIEWS:
        tag = VIEWS[type(value)]
        return tag, [], pairs(value) if tag == "items" else list(value)
    if isinstance(value, range): return "range", [value.start, value.stop, value.step], []
    if isinstance(value, (bytes, bytearray, memoryview)):
        tag = "bytearray" if isinstance(value, bytearray) else "bytes"
        return tag, [bytes(value).decode("latin-1")], []
    if isinstance(value, decimal.Decimal): return "Decimal", [decimal.Decimal.__str__(value)], []
    if isinstance(value, numbers.Rational): return "Fraction", [int(value.numerator), int(value.denominator)], []
    if isinstance(value, numbers.Complex): return "complex", [float(value.real), float(value.imag)], []
    return take_apart_object(value)
def take_apart_object(value):
    kind = type(value)
    if kind in DATES and getattr(value, "tzinfo", None) is None:
        return kind.__name__, [getattr(value, field) for field in DATES[kind].split()], []
    if hasattr(kind, "__next__"):
        items = list(itertools.islice(value, MOST_ITEMS + 1))
        return "iterator", [len(items) > MOST_ITEMS], items[:MOST_ITEMS]
    if hasattr(kind, "tolist"):
        hasType = getattr(getattr(value, "dtype", None), "kind", "O") in "biufcSU"
        listed = value.tolist()
        return ("array", [value.dtype.str], [listed]) if hasType and value.shape else ("same", [], [listed])
    return "object", [kind.__name__], []
def write(value):
    nodes, done, opened, stack, kept = [], {}, {}, [[value]], []
    while stack:
        part = stack[-1]
        key = id(part)
        if key in done: stack.pop()
        elif key in opened:
            stack.pop()
            tag, facts, parts, atoms = opened.pop(key)
            refer = lambda child, plain: [done[id(child)]] if is_node(child, plain) else plain
            nodes.append([tag, facts, list(map(refer, parts, atoms))])
            done[key] = len(nodes) - 1
        else:
            tag, facts, parts = take_apart(part)
            atoms = list(map(atom, parts))
            opened[key] = tag, facts, parts, atoms
            # The id of an object that is gone is given to another one.
            kept.append(parts)
            children = [child for child, plain in zip(parts, atoms) if is_node(child, plain)]
            if any(id(child) in opened for child in children): raise ValueError("the result contains itself")
            stack += children
    return json.dumps(nodes)
`;

/**
 * Python: `read(text)` for what `WRITE_VALUES` wrote. An iterator that had more items than are written ends the program
 * with the status `MORE_ITEMS` when it is asked for them.
 */
export const READ_VALUES = `
import collections, datetime, decimal, fractions, json, sys
getattr(sys, "set_int_max_str_digits", int)(0)
class Other:
    "An object of a class that only the program has."
    def __init__(self, name): self.name = name
    def __repr__(self): return "an object of class " + self.name
def iterate(items, hasMore):
    yield from items
    if hasMore: sys.exit(MORE_ITEMS)
def paired(items): return list(zip(items[::2], items[1::2]))
def counted(items):
    counter = collections.Counter()
    dict.update(counter, paired(items))
    return counter
BUILDERS = {
    "list": lambda items: items,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": lambda items: dict(paired(items)),
    "OrderedDict": lambda items: collections.OrderedDict(paired(items)),
    "Counter": counted,
    "keys": lambda items: dict.fromkeys(items).keys(),
    "values": lambda items: dict(enumerate(items)).values(),
    "items": lambda items: dict(paired(items)).items(),
    "deque": lambda items, maxlen: collections.deque(items, maxlen),
    "range": lambda items, *bounds: range(*bounds),
    "bytes": lambda items, text: text.encode("latin-1"),
    "bytearray": lambda items, text: bytearray(text.encode("latin-1")),
    "Decimal": lambda items, digits: decimal.Decimal(digits),
    "Fraction": lambda items, *parts: fractions.Fraction(*parts),
    "complex": lambda items, *parts: complex(*parts),
    "date": lambda items, *fields: datetime.date(*fields),
    "datetime": lambda items, *fields: datetime.datetime(*fields),
    "time": lambda items, *fields: datetime.time(*fields),
    "timedelta": lambda items, *fields: datetime.timedelta(*fields),
    "iterator": iterate,
    "array": lambda items, dtype: __import__("numpy").array(items[0], dtype),
    "same": lambda items: items[0],
    "object": lambda items, name: Other(name),
}
def read(text):
    values = []
    def value(part): return values[part[0]] if isinstance(part, list) else part
    for tag, facts, parts in json.loads(text):
        values.append(BUILDERS[tag]([value(part) for part in parts], *facts))
    return values[-1][0]
`;

/**
 * Python: `equal(a, b)` says whether two values are the same data. Decimal numbers may differ by `TOLERANCE`, relative or
 * absolute, at any depth, and not-a-number equals itself; all else is as Python compares it.
 *
 * `compile_check(text, NAME)` compiles Python whose assertions call what has that name where they compare by `==`; with a
 * second name, that one is called for `==` anywhere else.
 */
export const EQUAL_VALUES = `
import ast, collections, decimal, fractions
NUMBERS = (int, float, complex, decimal.Decimal, fractions.Fraction)
def both(kind, a, b): return isinstance(a, kind) and isinstance(b, kind)
def is_array(value): return hasattr(type(value), "tolist")
def listed(value): return value.tolist() if is_array(value) else value
def near(a, b):
    if a == b: return True
    if not isinstance(a, (float, complex)) and not isinstance(b, (float, complex)): return False
    if a != a or b != b: return a != a and b != b
    try: difference, size = abs(complex(a) - complex(b)), abs(complex(b))
    except OverflowError: return False
    # Everything is within a share of infinity.
    return size != float("inf") and difference <= TOLERANCE * max(1, size)
def equal(a, b):
    a, b = listed(a), listed(b)
    if both(NUMBERS, a, b): return near(a, b)
    if any(both(kind, a, b) for kind in (list, tuple, collections.deque)):
        return len(a) == len(b) and all(map(equal, a, b))
    if both(collections.OrderedDict, a, b) and list(a) != list(b): return False
    if both(dict, a, b) and not both(collections.Counter, a, b):
        return len(a) == len(b) and all(key in b and equal(a[key], b[key]) for key in a)
    return bool(a == b)
def equal_parts(a, b): return a == b if is_array(a) or is_array(b) else equal(a, b)
class Comparisons(ast.NodeTransformer):
    def __init__(self, asserted, elsewhere): self.asserted, self.elsewhere = asserted, elsewhere
    def call(self, name, node):
        if not name or len(node.ops) > 1 or not isinstance(node.ops[0], ast.Eq): return node
        return ast.Call(ast.Name(name, ast.Load()), [node.left, *node.comparators], [])
    def visit_Assert(self, node):
        test = node.test
        node.test = self.call(self.asserted, test) if isinstance(test, ast.Compare) else test
        return self.generic_visit(node)
    def visit_Compare(self, node): return self.call(self.elsewhere, self.generic_visit(node))
def compile_check(text, asserted, elsewhere=None):
    tree = Comparisons(asserted, elsewhere).visit(ast.parse(text))
    return compile(ast.fix_missing_locations(tree), "check.py", "exec", dont_inherit=True)
`;
