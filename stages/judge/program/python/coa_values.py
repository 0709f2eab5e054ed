"""Values as data that crosses from one process to another.

`write(value)` gives the nodes of a value, and the objects that they stand for; `read(nodes, outside)` gives the values of
nodes, the last of which holds the whole. Data of Python's own types, and numpy's, comes back as what it was, and an object
of a class in `CLASSES` (the task's own) with its attributes. No method that a class defines decides what is written of data.

Nodes are a list of [tag, facts, parts], children before parents, so that neither depth nor shared parts matter. A part that
contains itself is a ValueError unless an object of `CLASSES` lies between; so is data that would be too large when what it
shares is counted each time.
"""

import collections
import datetime
import decimal
import enum
import fractions
import importlib
import itertools
import numbers
import sys

getattr(sys, "set_int_max_str_digits", int)(50_000)

MAX_ITEMS = 100_000
MAX_PARTS = 2_000_000

CLASSES = {}
"""The task's own classes by their names."""


class Process:
    """How this process writes objects that are not data; each program sets it."""

    stand_in = None
    """The class of objects that stand for what lies in the other process."""

    @staticmethod
    def take_outside(value):
        """Tag, facts and parts of an object that is not data."""
        raise TypeError(f"{type(value).__name__} is not data")


ATOMS = ((bool, bool), (int, int.__int__), (float, float.__float__), (str, str.__str__), (numbers.Integral, int))
CONTAINERS = (list, tuple, set, frozenset)
VIEWS = {type({}.keys()): "keys", type({}.values()): "values", type({}.items()): "items"}
CHANGEABLE = (list, dict, set, collections.deque, bytearray)
DATES = {
    datetime.date: "year month day",
    datetime.datetime: "year month day hour minute second microsecond",
    datetime.time: "hour minute second microsecond",
    datetime.timedelta: "days seconds microseconds",
}


def atom(value):
    """A value that JSON can hold as it is; None for others."""
    for kind, plain in ATOMS:
        if isinstance(value, kind):
            made = plain(value)
            return None if type(made) is int and made.bit_length() > 64 else made
    is_real = isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational)
    return float(value) if is_real else None


def is_node(value, plain):
    return plain is None and value is not None


def pairs(items):
    return [part for pair in items for part in pair]


def paired(items):
    return list(zip(items[::2], items[1::2]))


def take_apart(value):
    """Its tag, what is plain about it, and its parts."""
    for kind in CONTAINERS:
        if isinstance(value, kind):
            return kind.__name__, [], list(kind.__iter__(value))
    for kind in (collections.OrderedDict, collections.Counter, dict):
        if isinstance(value, kind):
            return kind.__name__, [], pairs(kind.items(value))
    if isinstance(value, collections.deque):
        return "deque", [value.maxlen], list(collections.deque.__iter__(value))
    if type(value) in VIEWS:
        tag = VIEWS[type(value)]
        return tag, [], pairs(value) if tag == "items" else list(value)
    if isinstance(value, range):
        return "range", [hex(value.start), hex(value.stop), hex(value.step)], []
    if isinstance(value, (bytes, bytearray, memoryview)):
        tag = "bytearray" if isinstance(value, bytearray) else "bytes"
        return tag, [bytes(value).decode("latin-1")], []
    if isinstance(value, numbers.Integral):
        return "int", [hex(int(value))], []
    if isinstance(value, decimal.Decimal):
        return "Decimal", [decimal.Decimal.__str__(value)], []
    if isinstance(value, numbers.Rational):
        return "Fraction", [hex(int(value.numerator)), hex(int(value.denominator))], []
    if isinstance(value, numbers.Complex):
        return "complex", [float(value.real), float(value.imag)], []
    return take_apart_object(value)


def take_apart_object(value):
    kind = type(value)
    if kind is Process.stand_in:
        return Process.take_outside(value)
    if kind in DATES and getattr(value, "tzinfo", None) is None:
        return kind.__name__, [getattr(value, field) for field in DATES[kind].split()], []
    if kind.__name__ in CLASSES:
        if isinstance(value, enum.Enum):
            return "member", [kind.__name__, value.name], []
        return "instance", [kind.__name__], pairs(attributes_of(value).items())
    if hasattr(kind, "__next__"):
        items = list(itertools.islice(value, MAX_ITEMS + 1))
        return "iterator", [len(items) > MAX_ITEMS], items[:MAX_ITEMS]
    if hasattr(kind, "tolist"):
        has_type = getattr(getattr(value, "dtype", None), "kind", "O") in "biufcSU"
        listed = value.tolist()
        return ("array", [value.dtype.str], [listed]) if has_type and value.shape else ("same", [], [listed])
    return Process.take_outside(value)


def attributes_of(value):
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) if hasattr(value, name)]
    return {**{name: getattr(value, name) for name in slots}, **getattr(value, "__dict__", {})}


def write(value):
    """The nodes of a value, and the object of each node."""
    nodes, objects, done, opened, stack, kept = [], [], {}, {}, [[value]], []

    def number(part, node):
        done[id(part)] = len(nodes)
        nodes.append(node)
        objects.append(part)

    while stack:
        part = stack[-1]
        key = id(part)
        if key in opened:
            stack.pop()
            tag, facts, parts, atoms = opened.pop(key)
            referred = [[done[id(child)]] if is_node(child, plain) else plain for child, plain in zip(parts, atoms)]
            if key in done:
                nodes[done[key]][2] = referred
            else:
                number(part, [tag, facts, referred])
        elif key in done:
            stack.pop()
        else:
            tag, facts, parts = take_apart(part)
            atoms = list(map(atom, parts))
            opened[key] = tag, facts, parts, atoms
            if tag == "instance":
                number(part, [tag, facts, []])
            # The id of an object that is gone is given to another one.
            kept.append(parts)
            children = [child for child, plain in zip(parts, atoms) if is_node(child, plain) and id(child) not in done]
            if any(id(child) in opened for child in children):
                raise ValueError("the result contains itself")
            stack += children
    return nodes, objects


def iterate(items, has_more):
    yield from items
    if has_more:
        raise ValueError(f"the check asks an iterator for more than {MAX_ITEMS} items")


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
    "range": lambda items, *bounds: range(*[int(bound, 16) for bound in bounds]),
    "bytes": lambda items, text: text.encode("latin-1"),
    "bytearray": lambda items, text: bytearray(text.encode("latin-1")),
    "int": lambda items, digits: int(digits, 16),
    "Decimal": lambda items, digits: decimal.Decimal(digits),
    # Lowest terms already: finding them again of parts that somebody made up could take for ever.
    "Fraction": lambda items, *parts: fractions.Fraction(*[int(part, 16) for part in parts], _normalize=False),
    "complex": lambda items, *parts: complex(*parts),
    "date": lambda items, *fields: datetime.date(*fields),
    "datetime": lambda items, *fields: datetime.datetime(*fields),
    "time": lambda items, *fields: datetime.time(*fields),
    "timedelta": lambda items, *fields: datetime.timedelta(*fields),
    "iterator": iterate,
    "array": lambda items, dtype: importlib.import_module("numpy").array(items[0], dtype),
    "same": lambda items: items[0],
    "member": lambda items, kind, name: CLASSES[kind][name],
}


def instance(n, tag, facts, kept):
    """An object of the task's own class whose attributes come later; None for other nodes."""
    if tag != "instance":
        return None
    return kept[n] if n in kept else object.__new__(CLASSES[facts[0]])


def fill(made, items):
    """Gives an object its attributes; none takes the place of a method."""
    getattr(made, "__dict__", {}).clear()
    for name, value in paired(items):
        if name[:2] == "__" or callable(getattr(type(made), name, None)):
            raise ValueError(f"{name} is the class's")
        object.__setattr__(made, name, value)


def refill(old, new):
    """Gives a container the items of another one of its kind."""
    for kind in CHANGEABLE:
        if isinstance(old, kind) and isinstance(new, kind):
            kind.clear(old)
            (kind.update if kind in (dict, set) else kind.extend)(old, new)
            return old
    return new


def read(nodes, outside, kept=None):
    """The values of nodes.

    `outside(number, tag, facts)` gives the value of a tag that is not data; nodes in `kept` are those objects, changed.
    """
    kept = kept or {}
    values = [instance(n, tag, facts, kept) for n, (tag, facts, _) in enumerate(nodes)]
    sizes = [1] * len(nodes)
    for n, (tag, facts, parts) in enumerate(nodes):
        children = [values[part[0]] if isinstance(part, list) else part for part in parts]
        sizes[n] += sum(sizes[part[0]] if isinstance(part, list) else 1 for part in parts)
        if sizes[n] > MAX_PARTS:
            raise ValueError(f"the result has more than {MAX_PARTS} parts")
        if tag == "instance":
            fill(values[n], children)
        elif tag in BUILDERS:
            values[n] = BUILDERS[tag](children, *facts)
        else:
            values[n] = outside(n, tag, facts)
        if n in kept and tag != "instance":
            values[n] = refill(kept[n], values[n])
    return values
