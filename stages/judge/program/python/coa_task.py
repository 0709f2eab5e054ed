"""The module in which a task's own Python runs, and after it the solution or the check."""

import builtins
import sys
import types

from coa_values import CLASSES

# Task authors take these for granted: LeetCode's signatures use `List` and its solutions the rest. Names and depth of calls
# are those of LiveCodeBench's runner (`import_string` in `testing_util.py`).
STARRED = (
    "string re datetime collections heapq bisect copy math random statistics itertools functools operator io sys json typing"
).split()
IMPORTED = (
    "bisect collections copy datetime functools heapq io itertools json math operator random re statistics string sys"
).split()
MAX_DEPTH = 50_000


def run(text, names):
    """Runs source in a module, with its first lines where they were: `from __future__` must come first."""
    exec(compile(text, names["__name__"] + ".py", "exec", dont_inherit=True), names)


def task_module(name, prefix):
    """The names of a new module after the task's own Python, whose classes can cross to the other process.

    Also returns the names that every task has, as a set.
    """
    made = sys.modules[name] = types.ModuleType(name)
    names = made.__dict__
    # `builtins` last: some modules have names of their own for what is built in, such as `pow` without a modulus.
    for module in [*STARRED, "builtins"]:
        exec(f"from {module} import *", names)
    names.update((module, __import__(module)) for module in IMPORTED)
    sys.setrecursionlimit(MAX_DEPTH)
    common = set(names)
    run(prefix, names)
    CLASSES.update((key, value) for key, value in names.items() if isinstance(value, type) and value.__module__ == name)
    return names, common


def is_builtin(name):
    return hasattr(builtins, name)
