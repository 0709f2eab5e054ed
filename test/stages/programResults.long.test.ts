import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../contract/sandbox.ts';
import { judgeProgram } from '../../stages/judge/judgeAnswer.ts';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createBubblewrapSandbox({ timeoutMs: 20_000, concurrency: 2 });
});
afterAll(() => sandbox.close());

const judge = (program: string, ...checks: string[]) => judgeWith('', program, ...checks);
const judgeWith = (import_prefix: string, program: string, ...checks: string[]) =>
  judgeProgram(
    program,
    { kind: 'functional', checks, import_prefix },
    { sandbox, timeoutMs: 20_000, outputTolerance: 1e-6, signal: new AbortController().signal },
  );
type Case = [value: string, assertion: string, before?: string];
/** Whether a program that returns a value passes an assertion about `result`. */
async function passes(value: string, assertion: string, before = ''): Promise<boolean> {
  const program = `import array, collections, decimal, enum, fractions, io\n${before}\ndef solve():\n    return ${value}`;
  return (await judge(program, `result = solve()\nassert ${assertion}`)).failed === undefined;
}

describe('a result is what Python says it is', () => {
  test.each<Case>([
    ['b"a\\xff\\0"', 'result == b"a\\xff\\0"'],
    ['bytearray(b"ab")', 'result == b"ab" and isinstance(result, bytearray)'],
    ['memoryview(b"ab")', 'result == b"ab"'],
    ['1 + 2j', 'result == 1 + 2j'],
    ['[0.1 + 0.2 + 1j]', 'result == [0.3 + 1j]'],
    ['range(1, 9, 2)', 'result == range(1, 9, 2) and list(result) == [1, 3, 5, 7]'],
    ['collections.deque([1, (2, 3)], 4)', 'result == deque([1, (2, 3)])'],
    ['collections.deque([1])', 'list(result) == [1]'],
    ['(n * n for n in range(4))', 'list(result) == [0, 1, 4, 9]'],
    ['map(str, [1, 2])', 'sorted(result) == ["1", "2"]'],
    ['iter({"a": [1]}.items())', 'next(result) == ("a", [1])'],
    ['itertools.count(5)', 'list(itertools.islice(result, 3)) == [5, 6, 7]'],
    ['{"a": 1}.keys()', 'result == {"a"}'],
    ['{"a": [1]}.values()', 'list(result) == [[1]]'],
    ['{"a": [1]}.items()', 'dict(result) == {"a": [1]}'],
    ['{frozenset({1, 2}), frozenset()}', 'result == {frozenset({2, 1}), frozenset()}'],
    ['{frozenset({1}): 2, (1, 2): 3, None: 4}', 'result == {frozenset({1}): 2, (1, 2): 3, None: 4}'],
    ['decimal.Decimal("0.10")', 'str(result) == "0.10"'],
    ['fractions.Fraction(1, 3)', 'result * 3 == 1 and result < 0.5'],
    ['[fractions.Fraction(1, 2), decimal.Decimal("0.3")]', 'result == [0.5, 0.3]'],
    ['collections.Counter(a=1, b=0)', 'result == Counter(a=1)'],
    ['collections.OrderedDict(a=1, b=2)', 'result == {"b": 2, "a": 1}'],
    ['collections.namedtuple("P", "x y")(1, 2.5)', 'result == (1, 2.5)'],
    ['Color.RED', 'result == "red"', 'class Color(str, enum.Enum): RED = "red"'],
    ['Level.LOW', 'result == 1', 'class Level(enum.IntEnum): LOW = 1'],
    ['Word("ab")', 'result == "ab"', 'class Word(str):\n    def __str__(self): return "?"'],
    ['0.1 + 0.2', 'type(result) is float and result == 0.3'],
    ['-0.0', 'result == 0.0 and math.copysign(1, result) == -1'],
    ['float("nan")', 'math.isnan(result) and result != result'],
    ['[float("nan"), inf]', 'result == [float("nan"), float("inf")]'],
    ['[(0.1 + 0.2, {"a": 0.1 + 0.2})]', 'result == [(0.3, {"a": 0.3})]'],
    ['[0.1 + 0.2, 1]', 'all(a == b for a, b in zip(result, [0.3, 1]))'],
    ['"\\ud800\\u2028é\\r\\n"', 'result == "\\ud800\\u2028é\\r\\n"'],
    ['10 ** 5000', 'result == 10 ** 5000'],
    ['datetime.date(2020, 1, 2)', 'result == datetime.date(2020, 1, 2)', 'import datetime'],
    ['datetime.timedelta(1, 2.5)', 'result / 2 == datetime.timedelta(0.5, 1.25)', 'import datetime'],
    ['array.array("i", [1, 2])', 'list(result) == [1, 2]'],
    ['numpy.int64(2 ** 62 + 1)', 'result == 2 ** 62 + 1', 'import numpy'],
    ['[numpy.bool_(True), numpy.float32(0.5)]', 'result == [True, 0.5]', 'import numpy'],
    ['numpy.array([[1, 2]])', 'result == [[1, 2]]', 'import numpy'],
    ['numpy.array([1.5, 2])', '(result == [1.5, 2]).all() and result[0] == 1.5', 'import numpy'],
  ])('%s: %s', async (value, assertion, before) => {
    expect(await passes(value, assertion, before)).toBe(true);
  });

  test.each<Case>([
    ['b"ab"', 'result == "ab"'],
    ['range(3)', 'result == [0, 1, 2]'],
    ['(n for n in [1])', 'result == [1]'],
    ['collections.deque([1])', 'result == [1]'],
    ['0.31', 'result == 0.3'],
    ['1 + 2.1j', 'result == 1 + 2j'],
    ['2 ** 53', 'result == 2 ** 53 + 1'],
    ['float("nan")', 'result == 1.0'],
    ['float("inf")', 'result == -float("inf")'],
    ['collections.OrderedDict(a=1, b=2)', 'result == OrderedDict(b=2, a=1)'],
    ['[1, 2]', 'result == (1, 2)'],
    ['{1: 2}', 'result == {1: 2, 3: 4}'],
    ['E()', 'result == [1]', 'class E(list):\n    def __eq__(self, other): return True'],
    ['[E()]', 'result == [1]', 'class E:\n    def __eq__(self, other): return True'],
    [
      '{E(): 1}',
      'result == {1: 1}',
      'class E(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__',
    ],
    ['(E() for _ in [1])', 'list(result) == [1]', 'class E:\n    def __eq__(self, other): return True'],
    ['l', 'result == 3', 'l = []\nl.append(l)'],
  ])('not: %s: %s', async (value, assertion, before) => {
    expect(await passes(value, assertion, before)).toBe(false);
  });

  test('a nested one as deep as memory allows, without a limit of calls', async () => {
    const program = `import sys
def solve():
    sys.setrecursionlimit(60)
    nested = []
    for _ in range(100_000): nested = [nested]
    return nested, nested`;
    expect((await judge(program, 'result = solve()\nassert len(result) == 2')).failed).toBeUndefined();
  });

  test('a long one as far as it is written, and no further', async () => {
    const program = 'def solve(n):\n    return iter(range(n)) if n < 1e6 else "x" * n';
    const ends = (size: string) =>
      judge(program, `result = solve(${size})\nassert sum(1 for _ in result) == ${size}`);
    for (const size of ['100_000', '3_400_000']) expect(await ends(size)).toMatchObject({ passed: 1 });
    expect(await ends('200_000')).toMatchObject({
      failed: { got: expect.stringContaining('more than 100000') },
    });
    expect(await ends('3_600_000')).toMatchObject({
      failed: { got: expect.stringContaining('OverflowError') },
    });
  });
});

describe('a program is run as it stands', () => {
  const check = 'result = solve()\nassert result == 7';
  test.each([
    [
      'a future import of several lines',
      'from __future__ import (\n    annotations,\n    division,\n)\ndef solve() -> Unknown: return 7',
    ],
    [
      'one behind a docstring and comments',
      '"""Solves."""\n# so\nfrom __future__ import annotations; import math\ndef solve() -> Unknown: return 7',
    ],
    [
      'one with a continued line',
      'from __future__ \\\n    import annotations\ndef solve() -> Unknown: return 7',
    ],
    [
      'such a line in a string',
      'text = """\nfrom __future__ import annotations\n"""\ndef solve(): return 7 if "future" in text else 0',
    ],
    ['Windows newlines', 'def solve():\r\n    """a\r\n    b"""\r\n    return 7\r\n'],
    ['a byte order mark', '\uFEFFdef solve(): return 7'],
    ['tabs and no newline at the end', 'def solve():\n\treturn 7 # seven'],
    [
      'annotations that a dataclass reads',
      'from __future__ import annotations\nimport dataclasses\n@dataclasses.dataclass\nclass P:\n    x: int = 7\ndef solve(): return P().x',
    ],
    ['a module that looks itself up', 'import sys\nx = 7\ndef solve(): return sys.modules[__name__].x'],
    [
      'names that the check uses too',
      'import collections as sys\njson = exec = compile = write = None\ndef solve(): return 7',
    ],
    [
      'calls 20,000 deep',
      'def deep(n): return 0 if n == 0 else 1 + deep(n - 1)\ndef solve(): return deep(20_000) - 19_993',
    ],
    ['names that LiveCodeBench imports', 'def solve(): return deepcopy([mean([6, 8])])[0]'],
    [
      'a child process that takes a function',
      'import multiprocessing\ndef seven(_): return 7\ndef solve():\n    with multiprocessing.Pool(1) as pool: return pool.map(seven, [0])[0]',
    ],
  ])('%s', async (_title, program) => {
    expect((await judge(program, check, 'assert solve() == 7')).failed).toBeUndefined();
  });
});

describe('a check of any form', () => {
  const task =
    'class Node:\n    def __init__(self, value, next=None): self.value, self.next = value, next\n    def __eq__(self, other): return isinstance(other, Node) and self.value == other.value and self.next == other.next\n    def is_two(self): return self.value == 2\n';
  const stack =
    'class Stack:\n    def __init__(self): self.items = []\n    def push(self, x): self.items.append(x)\n    def pop(self): return self.items.pop()\n    def __len__(self): return len(self.items)';
  test.each([
    ['a call in a call', 'def f(n): return n + 1', 'assert f(f(1)) == 3'],
    ['a chain of calls', 'def f(n): return n + 1', 'x = 0\nfor _ in range(100): x = f(x)\nassert x == 100'],
    ['calls that depend on results', 'def f(n): return n - 1', 'n = 4\nwhile n > 0: n = f(n)\nassert n == 0'],
    [
      'what is raised',
      'def f(n): raise ValueError(n)',
      'try: f(1)\nexcept ValueError as e: assert str(e) == "1"\nelse: assert False',
    ],
    [
      'a tolerance',
      'def f(n): return n / 3',
      'import math\nassert math.isclose(f(1), 0.333333333333, rel_tol=1e-6)',
    ],
    ['sets', 'def f(n): return [3, 1, 2]', 'assert set(f(1)) == {1, 2, 3} and sorted(f(1))[0] == 1'],
    ['a name that Python has', 'def sum(a, b): return 6', 'assert sum(10, 15) == 6'],
    ['a name that is imported', 'def merge(a): return a[0]', 'assert merge([[1], [2]]) == [1]'],
    [
      'an object of the solution',
      stack,
      's = Stack()\ns.push(3)\ns.push(4)\nassert s.pop() == 4 and len(s) == 1 and s.items == [3]',
    ],
    ['an argument that is changed', 'def f(a): a.sort()', 'a = [3, 1, 2]\nf(a)\nassert a == [1, 2, 3]'],
    [
      'a function for the solution',
      'def f(g): return g(20) + len(h)\nh = "xx"',
      'assert f(lambda n: 2 * n) == 42 and f(abs) == 22',
    ],
    [
      'what happens to be asked twice',
      'import random\ndef f(n): return random.random() < 2',
      'assert all(f(n) for n in range(200))',
    ],
  ])('%s', async (_title, program, check) => {
    expect(await judge(program, check)).toEqual({ passed: 1, tests: 1 });
  });

  test.each([
    ['reads a list', 'def f(node): return node.next.value', 'assert f(Node(1, Node(2))) == 2'],
    ['returns one', 'def f(n): return Node(n, Node(n + 1))', 'assert f(1) == Node(1, Node(2))'],
    [
      'brings its own class',
      'class Node:\n    def __init__(self, value, next=None): self.value, self.next = value, next\ndef f(n): return Node(n)',
      'assert f(1) == Node(1)',
    ],
    [
      'turns one round',
      'def f(node): node.next.next, node.next = node, None',
      'a = Node(1, Node(2))\nb = a.next\nf(a)\nassert b.value == 2 and b.next.value == 1 and a.next is None',
    ],
    [
      'makes a ring',
      'def f(n):\n    node = Node(n)\n    node.next = node\n    return node',
      'node = f(1)\nassert node.next is node',
    ],
  ])("with the task's own class: a program that %s", async (_title, program, check) => {
    expect(await judgeWith(task, program, check)).toEqual({ passed: 1, tests: 1 });
  });

  test.each([
    [
      'says what its methods do',
      'class Node:\n    __eq__ = lambda *_: True\ndef f(n): return Node()',
      'assert f(1) == Node(2)',
    ],
    [
      'gives an attribute for a method',
      'def f(n):\n    node = Node(9)\n    node.__eq__ = lambda *_: True\n    return node',
      'assert f(1) == Node(2)',
    ],
    [
      'has all the methods of a text',
      'class T:\n    __getattr__ = lambda self, name: (lambda *_: True)\ndef f(n): return T()',
      'assert f(1).startswith("a")',
    ],
    [
      'has an empty difference',
      'class T:\n    __sub__ = lambda *_: 0\ndef f(n): return T()',
      'assert abs(f(1) - 42) < 1e-6',
    ],
    [
      'reckons as a class',
      'class D:\n    def __init__(self, n): pass\n    __sub__ = lambda *_: 0',
      'd = D(1)\nassert abs(d - 42) < 1e-6',
    ],
    [
      'is a class with the methods of a text',
      'class D:\n    def __init__(self, n): pass\n    startswith = lambda *_: True',
      'assert D(1).startswith("a")',
    ],
    [
      'changes what an object is made of',
      'def f(n):\n    node = Node(9)\n    node.__dict__["__dict__"] = {"value": 2, "next": None}\n    return node',
      'assert f(1).is_two()',
    ],
    [
      'contains everything',
      'class T:\n    __contains__ = lambda *_: True\ndef f(n): return T()',
      'assert 42 in f(1)',
    ],
    [
      'empties what it is given',
      'def f(a):\n    a.clear()\n    return []',
      'a = [3, 1, 2]\nassert f(a) == sorted(a)',
    ],
  ])('is not fooled by a program that %s', async (_title, program, check) => {
    expect(await judgeWith(task, program, check)).toMatchObject({ passed: 0, failed: {} });
  });

  test.each([
    ['can not be run', 'assert f(1) =='],
    ['fails by itself', 'import nothing_there\nassert f(1) == 1'],
    ["compares with the solution's own class", 'assert f(1) == [P(1)]'],
    ['defines what only the solution calls', 'bad = 4\ndef is_bad(n): return n >= bad\nassert f(9) == 4'],
  ])('that %s is unscored, whatever the program', async (_title, check) => {
    for (const program of ['def f(n): return 1', 'import os\nos._exit(0)'])
      await expect(judge(program, check)).rejects.toMatchObject({ failure: { cause: 'unscored' } });
  });
});
