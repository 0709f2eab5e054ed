"""Objects of the solution's process, as the check sees them: a name, what a call returned, or a part of that.

Such an object equals nothing but itself, and what every kind of data has is not asked of it: it could say what it likes. The
exception is what the check makes itself outside of its assertions, as `stack = Stack()`: there the solution's class is what is
checked. Even that is neither compared nor computed with data.
"""

import base64
import builtins
import json
import marshal
import sys
import types

from coa_values import CLASSES, Process, read, write

MAX_CALLS = 10_000

DATA_KINDS = (str, list, dict, set, tuple, int, float, complex, bytes, type(None))
DATA_NAMES = {"all", "any", "equals"}.union(*map(dir, DATA_KINDS))
ASKED_OF_ONE = [f"__{name}__" for name in "len iter next getitem setitem delitem int float index enter exit".split()]
ASKED_OF_TWO = [f"__{name}__" for name in "add sub mul truediv floordiv mod pow lt le gt ge".split()]
ASKED = {*ASKED_OF_ONE, *ASKED_OF_TWO, "__repr__", "__str__"}


class Unknown(Exception):
    """Ends a statement that depends on an answer that is not known yet."""


class Talk:
    """The calls that this run of the check asks for, and the answers that it was given."""

    calls = []
    """Calls of the last run, as lines of JSON."""
    answers = []
    """What the solution answered to them."""
    asked = []
    """Calls of this run."""
    known = []
    """Values of the answers that were read in this run."""
    is_pending = False
    """Whether a call of this run has no answer yet."""
    in_assertion = False


class StandIn:
    __slots__ = ("_ref_", "_kind_", "_open_")

    def __init__(self, ref, kind, is_open):
        self._ref_, self._kind_, self._open_ = ref, kind, is_open

    def __getattr__(self, name):
        if not self._open_ and name in DATA_NAMES:
            raise AttributeError(f"{self!r} has no {name}")
        if name[:2] == "__" and name not in ASKED:
            raise AttributeError(name)
        return ask("get", self._ref_, name, [])

    def __call__(self, *args, **keywords):
        nodes, objects = write((args, keywords))
        return ask("call", self._ref_, nodes, objects)

    def __eq__(self, other):
        if is_pending(self) or is_pending(other):
            return held_to_be_true()
        return isinstance(other, StandIn) and self._ref_ == other._ref_

    def __bool__(self):
        return held_to_be_true() if is_pending(self) else True

    def __hash__(self):
        return hash(str(self._ref_))

    def __repr__(self):
        if self._open_ and not is_pending(self):
            return self.__getattr__("__repr__")()
        return f"an object of class {self._kind_}"

    def __str__(self):
        if self._open_ and not is_pending(self):
            return self.__getattr__("__str__")()
        return repr(self)


def is_pending(value):
    """Whether a value is the answer to a call that was not answered yet."""
    return isinstance(value, StandIn) and value._kind_ is None


def operator_of(name):
    def apply(self, *args):
        if is_pending(self) or any(map(is_pending, args)):
            return held_to_be_true()
        if name in ASKED_OF_TWO and not isinstance(args[0], StandIn):
            return NotImplemented
        return self.__getattr__(name)(*args)

    return apply


for operator_name in ASKED_OF_ONE + ASKED_OF_TWO:
    setattr(StandIn, operator_name, operator_of(operator_name))


def held_to_be_true():
    """An assertion about a pending answer holds until the answer is known, so that the rest of it is asked for as well."""
    if not Talk.in_assertion:
        raise Unknown
    return True


def ask(kind, ref, what, objects):
    """The answer to a call; a pending one where the solution was not asked yet."""
    at = len(Talk.asked)
    if at == MAX_CALLS:
        raise Unknown
    Talk.asked.append(json.dumps([kind, ref, what], separators=(",", ":")))
    if Talk.is_pending or at >= len(Talk.calls) or not is_asked(at, kind, ref, what):
        Talk.is_pending = True
        return StandIn(["answer", at], None, True)
    answer = json.loads(Talk.answers[at])
    Talk.known.append(None)
    if "raised" in answer:
        raise raised_error(answer["raised"], is_next(kind, ref, what))
    Talk.known[-1] = answered_value(at, answer, objects, made_kind(kind, ref))
    return Talk.known[-1]


def raised_error(raised, is_of_iterator):
    """The solution's error. As in a generator, one that would end a `map` or `for` is another error."""
    error = error_of(*raised)
    if isinstance(error, (StopIteration, StopAsyncIteration)) and not is_of_iterator:
        return RuntimeError(f"the program raised {error!r}")
    return error


def made_kind(kind, ref):
    """The name of the solution's class that a call makes an object of; None for another call."""
    is_made = kind == "call" and ref[0] == "name" and ref[1][:1].isupper()
    return ref[1] if is_made else None


def answered_value(at, answer, objects, made):
    """The value of an answer. Arguments that the call changed get their new items."""

    def outside(n, tag, facts):
        if tag != "object":
            raise ValueError(f"unknown data {tag}")
        return StandIn(["part", at, n], str(facts[0]), False)

    kept = {n: objects[m] for n, m in answer["given"]}
    value = read(answer["nodes"], outside, kept)[-1][0][0]
    if value is not None and kept:
        raise ValueError("arguments are looked at where nothing is returned")
    if not isinstance(value, StandIn):
        return value
    is_open = made is not None and (made == "Solution" or not Talk.in_assertion)
    return StandIn(["answer", at], value._kind_, is_open)


def is_next(kind, ref, what):
    """Whether a call asks an iterator for its next item."""
    if kind == "get":
        return what == "__next__"
    return ref[0] == "answer" and json.loads(Talk.asked[ref[1]])[::2] == ["get", "__next__"]


def is_asked(at, *call):
    """Whether a call was asked for in these words, or with an answer in its arguments that was pending then."""
    if Talk.calls[at] == Talk.asked[at]:
        return True
    kind, ref, what = json.loads(Talk.calls[at])

    def outside(n, tag, facts):
        return Talk.known[facts[0][1]] if tag == "ref" and facts[0][0] == "answer" else None

    if [kind, ref] != [*call[:2]] or kind != "call":
        return False
    return write(read(what, outside)[-1][0])[0] == call[2]


def error_of(name, message):
    """An error of the class that the solution raised, where this process has it."""
    kind = CLASSES.get(name, getattr(builtins, name, Exception))
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        kind = Exception
    try:
        return kind(message)
    except TypeError:
        return Exception(message)


def take_outside(value):
    """How an argument crosses that is not data: as a reference, as a function's code, or by its name."""
    if isinstance(value, StandIn):
        return "ref", [value._ref_], []
    if isinstance(value, types.FunctionType) and value.__module__ == "check" and not value.__closure__:
        return "function", [base64.b64encode(marshal.dumps(value.__code__)).decode("ascii"), value.__name__], []
    if getattr(sys.modules.get(value.__module__), value.__qualname__, None) is not value:
        raise TypeError("can't be handed over")
    return "global", [value.__module__, value.__qualname__], []


Process.stand_in = StandIn
Process.take_outside = staticmethod(take_outside)
