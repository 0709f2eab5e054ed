"""Runs a check with stand-ins for what it takes from the solution; their calls are looked up in what the solution answered.

This process never held the solution, so its exit status can be believed: 0 where the check holds. A call without an answer is
asked for, and the check goes on as far as it can without it: past assertions about it, which may ask for more. Then the status
is `asks`, and the calls are printed.
"""

import ast
import os
import random
import sys

from coa_equality import Tolerance, equal, equal_parts
from coa_names import Names
from coa_stand_ins import StandIn, Talk
from coa_task import task_module


class Comparisons(ast.NodeTransformer):
    """Makes `==` compare data by `coa_equality`, and passes over assertions that fail while an answer is pending."""

    def call(self, name, node):
        if len(node.ops) > 1 or not isinstance(node.ops[0], ast.Eq):
            return node
        return ast.Call(ast.Name(name, ast.Load()), [node.left, *node.comparators], [])

    def visit_Assert(self, node):
        if isinstance(node.test, ast.Compare):
            node.test = self.call("EQUAL", node.test)
        guarded = ast.parse(GUARDED_ASSERTION).body
        guarded[1].body = [self.generic_visit(node)]
        return guarded

    def visit_Compare(self, node):
        return self.call("EQUAL_PARTS", self.generic_visit(node))


GUARDED_ASSERTION = """
ASSERTION(True)
try: pass
except Exception:
    if not ASSERTION(False): raise
ASSERTION(False)
"""


def assertion(begins):
    """Marks the beginning or the end of an assertion; true while an answer is pending."""
    Talk.in_assertion = begins
    return Talk.is_pending


def main(job):
    names, common = task_module("check", job["prefix"])
    Tolerance.decimals = job["tolerance"]
    count, *lines = sys.stdin.read().split("\n")
    Talk.calls, Talk.answers = lines[: int(count)], lines[int(count) :]
    tree = ast.parse(job["check"])
    found = Names(tree)
    of_solution = found.of_solution(job["function"], names, common)
    if why := found.unjudgeable(of_solution):
        sys.stderr.write(f"the check {why}")
        sys.stderr.flush()
        os._exit(job["statuses"]["unjudgeable"])
    names.update((name, StandIn(["name", name], name, True)) for name in of_solution)
    names.update(EQUAL=equal, EQUAL_PARTS=equal_parts, ASSERTION=assertion)
    run_check(compile(ast.fix_missing_locations(Comparisons().visit(tree)), "check.py", "exec", dont_inherit=True), names, job)


def run_check(code, names, job):
    out, sys.stdout = sys.stdout, open(os.devnull, "w")
    random.seed(0)
    try:
        exec(code, names)
    except BaseException as error:
        if not Talk.is_pending:
            raise error if isinstance(error, Exception) else AssertionError(repr(error)) from None
    if Talk.is_pending:
        out.write("".join("\n" + job["mark"] + call for call in Talk.asked) + "\n")
        out.flush()
        os._exit(job["statuses"]["asks"])
