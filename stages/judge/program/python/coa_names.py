"""Which names of a check are the solution's, and what of a check nobody but the solution could judge."""

import ast

from coa_task import is_builtin

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Names:
    """The names that a check reads, and those that it binds itself."""

    def __init__(self, tree):
        self.tree = tree
        self.nodes = list(ast.walk(tree))
        named = [one for one in self.nodes if isinstance(one, ast.Name)]
        self.read = [one.id for one in named if isinstance(one.ctx, ast.Load)]
        self.bound = {one.id for one in named if not isinstance(one.ctx, ast.Load)}
        for one in self.nodes:
            if isinstance(one, (*FUNCTIONS, ast.ClassDef, ast.ExceptHandler)):
                self.bound.add(one.name)
            elif isinstance(one, ast.arg):
                self.bound.add(one.arg)
            elif isinstance(one, ast.alias):
                self.bound.add((one.asname or one.name).split(".")[0])

    def of_solution(self, function, given, common):
        """Names of the solution's: those that nothing else gives.

        Where there are none, the first that is called: a solution may be called `sum` or `merge`.

        :param function: name that the task gives for the function, or None
        :param given: names that the check's module has
        :param common: those of them that every task has
        """
        found = {name for name in self.read if name not in self.bound and self.is_unknown(name, function, given)}
        if found:
            return found
        called = [name for name in self.called(self.nodes) if name not in self.bound]
        return set([name for name in called if name in common or is_builtin(name)][:1])

    @staticmethod
    def is_unknown(name, function, given):
        return name == function or name not in given and not is_builtin(name)

    @staticmethod
    def called(nodes):
        """Names of plain calls, in the order of the nodes."""
        return [one.func.id for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]

    def unjudgeable(self, of_solution):
        """Why nobody but the solution could judge the check; None where the check can be run apart from it."""
        for one in self.tree.body:
            if isinstance(one, FUNCTIONS) and one.name not in self.read:
                return f"defines {one.name}, which only the program can be meant to call"
        compared = [side for one in self.nodes if isinstance(one, ast.Compare) for side in one.comparators]
        made = self.called(part for side in compared for part in parts_of(side))
        for name in made:
            if name in of_solution and name[:1].isupper():
                return f"compares with an object of {name}, a class of the program's own"
        return None


def parts_of(side):
    """A side of a comparison, and the items of a literal list, tuple, set or dict in it."""
    yield side
    if isinstance(side, (ast.List, ast.Tuple, ast.Set, ast.Dict)):
        for part in ast.iter_child_nodes(side):
            yield from parts_of(part)
