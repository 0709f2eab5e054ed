"""Runs a solution and answers calls of it, each a line of JSON as the checking program asks for them.

The solution is a module of its own: its `if __name__ == "__main__":` part reads input that a check does not give. Nothing of
what is expected is in this process, and nothing that it says is believed beyond being data that the solution returned.
"""

import base64
import importlib
import json
import marshal
import os
import sys
import types

from coa_task import run, task_module
from coa_values import CHANGEABLE, CLASSES, Process, read, write

Process.take_outside = staticmethod(lambda value: ("object", [type(value).__name__], []))


class Answers:
    """What the calls so far returned, with the objects that each answer's nodes stand for."""

    def __init__(self, names):
        self.names = names
        self.results = []
        self.held = []

    def resolve(self, kind, at, n=None):
        """The object that a reference of the checking program means."""
        if kind == "part":
            return self.held[at][n]
        if kind == "answer":
            return self.results[at]
        if at not in self.names:
            raise NameError(f"name {at!r} is not defined")
        return self.names[at]

    def outside(self, n, tag, facts):
        """An argument that is not data: a reference, an importable object, or a function of the check."""
        if tag == "ref":
            return self.resolve(*facts[0])
        if tag == "global":
            return getattr(importlib.import_module(facts[0]), facts[1])
        return types.FunctionType(marshal.loads(base64.b64decode(facts[0])), self.names, facts[1])

    def answer(self, kind, ref, what):
        """The nodes of what a call returned and, where it returned nothing, of the arguments that it changed."""
        self.results.append(None)
        self.held.append([])
        if kind == "get":
            given, value = [], getattr(self.resolve(*ref), what)
        else:
            given = read(what, self.outside)
            args, keywords = given[-1][0]
            value = self.resolve(*ref)(*args, **keywords)
        self.results[-1], numbers_of = value, {}
        if value is None and write(given[-1][0] if given else None)[0] != what:
            numbers_of = {id(one): n for n, one in enumerate(given) if can_change(one)}
        changed = [one for one in given if id(one) in numbers_of]
        nodes, self.held[-1] = write([value, changed])
        given_numbers = [[n, numbers_of[id(one)]] for n, one in enumerate(self.held[-1]) if id(one) in numbers_of]
        return {"nodes": nodes, "given": given_numbers}


def can_change(value):
    return isinstance(value, CHANGEABLE) or type(value).__name__ in CLASSES


def say(said, out, job):
    """Prints an answer after the mark, whatever the solution has done to `sys.stdout`."""
    text = json.dumps(said, separators=(",", ":"))
    if len(text) > job["max_chars"]:
        text = json.dumps({"raised": ["OverflowError", f"a result of more than {job['max_chars']} characters"]})
    left = ("\n" + job["mark"] + text + "\n").encode("ascii")
    while left:
        left = left[os.write(out, left) :]


def main(job):
    out = os.dup(1)
    names, _ = task_module("solution", job["prefix"])
    answers = Answers(names)
    run(job["program"], names)
    if job["asks_for_class"]:
        # A program without the class is called by its functions.
        names.setdefault("Solution", lambda: sys.modules["solution"])
    for call in job["calls"]:
        try:
            said = answers.answer(*json.loads(call))
        except Exception as error:
            said = {"raised": [type(error).__name__, str(error)[:1000]]}
        say(said, out, job)
    os._exit(0)
