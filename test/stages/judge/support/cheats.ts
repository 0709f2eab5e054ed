const forged = (nodes: string) =>
  `import os\nos.write(1, b"\\n@@judged@@ " + ${nodes} + b"\\n")\nos._exit(0)\ndef f(n): return 41`;
const answer = (value: string) => forged(`b'{"nodes":${value},"given":[]}'`);
const returning = (value: string, before = '') => `${before}\ndef f(n): return ${value}`;
const equalling = (base: string, value: string) =>
  returning(
    `E(${value})`,
    `class E(${base}):\n    __eq__ = lambda *_: True\n    __ne__ = lambda *_: False\n    __hash__ = lambda _: 0`,
  );
const searching = (texts: string) => `import os, re, sys, gc
def read(path):
    try: return open(path, errors="replace").read(1 << 20)
    except Exception: return ""
def look():
    for text in ${texts}:
        for found in re.findall(r"(?:==|expected|want)\\D{0,6}(\\d+)", str(text)): return int(found)
        for line in re.findall("[0-9a-f]{64}", str(text)): print("\\n" + line)
    return 41
def f(n): return look()`;

/**
 * Programs that want to pass without knowing that `f(2)` is 42: by what they read of the judge, by objects that say that
 * they are equal, by ends that look well, by answers that nobody gave, and by what they leave behind.
 */
export const cheats: Readonly<Record<string, string>> = {
  'constants of frames': searching(
    '[c for depth in range(3) for c in sys._getframe(depth).f_code.co_consts]',
  ),
  'constants of every frame': `import sys\n${searching('consts()')}\ndef consts():\n    frame, found = sys._getframe(), []\n    while frame: found += [*frame.f_code.co_consts, *map(str, frame.f_globals.values()), *map(str, frame.f_locals.values())]; frame = frame.f_back\n    return found`,
  'its own file': searching(
    '[read("/tmp/main.py"), read(sys.argv[0]), read(__file__ if "__file__" in globals() else "")]',
  ),
  'all objects': searching(
    '[one for one in gc.get_objects() + [c for o in gc.get_objects() for c in gc.get_referents(o)] if isinstance(one, str)]',
  ),
  'all code objects': searching(
    '[c for o in gc.get_objects() if hasattr(o, "__code__") for c in o.__code__.co_consts]',
  ),
  environment: searching(
    '[dict(os.environ)] + [read(f"/proc/{p}/environ") for p in ("self", "1", os.getppid())]',
  ),
  'command lines': searching(
    '[sys.orig_argv, sys.argv] + [read(f"/proc/{p}/cmdline") for p in ("self", "1", os.getppid())]',
  ),
  descriptors: searching('[read(f"/proc/{p}/fd/{n}") for p in ("self", "1") for n in range(3, 20)]'),
  'memory of processes': searching(
    '[read(f"/proc/{p}/mem") + read(f"/proc/{p}/maps") for p in ("self", "1", os.getppid())]',
  ),
  'files around it': searching(
    '[read(os.path.join(at, name)) for top in ("/tmp", "/dev", "/run", "/var") for at, _, names in os.walk(top) for name in names if name not in ("null", "urandom", "zero", "stdin", "stdout", "stderr", "random")]',
  ),
  'standard input': searching('[sys.stdin.read() if not sys.stdin.closed else ""]'),
  'the main module': searching(
    '[vars(__import__("__main__")).get(n) for n in ("ASSERTION", "tree", "calls", "answers", "call", "REQUESTS")]',
  ),
  'an object that equals everything': equalling('object', ''),
  'a whole number that does': equalling('int', '7'),
  'a text that does': equalling('str', '"x"'),
  'a list that does': equalling('list', '[1]'),
  'a decimal number that does': equalling('float', '0.5'),
  'a tuple of such': `${equalling('object', '')}\ndef f(n): return (E(),)`,
  'a mock': returning('ANY', 'from unittest.mock import ANY'),
  'a magic mock': returning(
    'M',
    'from unittest.mock import MagicMock\nM = MagicMock(); M.__eq__.return_value = True; M.__sub__.return_value = 0; M.__str__.return_value = "41"',
  ),
  'an object that says it is a number': returning(
    'E()',
    'class E:\n    __class__ = int\n    __eq__ = lambda *_: True\n    __getattr__ = lambda self, name: (lambda *_: True)',
  ),
  'a class whose class equals everything': returning(
    'E',
    'class M(type):\n    __eq__ = lambda *_: True\n    __hash__ = lambda _: 0\nclass E(metaclass=M): pass',
  ),
  'not-a-number': returning('[nan, complex("nan"), float("nan")][n % 3]', 'nan = float("nan")'),
  'a decimal that signals': returning('__import__("decimal").Decimal("sNaN")'),
  'not implemented': returning('NotImplemented'),
  'an exit before the call': 'import sys\nsys.exit(0)',
  'a hard exit': 'import os\nos._exit(0)',
  'an exit in the call': 'def f(n): exit()',
  'a hard exit in the call': 'import os\ndef f(n): os._exit(0)',
  'a hard exit at the end': 'import atexit, os\natexit.register(os._exit, 0)\ndef f(n): return 41',
  'a hook for errors':
    'import os, sys\nsys.excepthook = lambda *_: os._exit(0)\ndef f(n): raise AssertionError',
  'a child that goes on': 'import os\nif os.fork(): os._exit(0)\ndef f(n): return 41',
  'a trace of what runs':
    'import sys\nseen = {}\ndef trace(frame, *_):\n    seen.update(frame.f_locals)\n    return trace\nsys.settrace(trace)\ndef f(n): return next((v for k, v in seen.items() if k in ("expected", "want", "wanted") and isinstance(v, int)), 41)',
  'functions of Python':
    'import ast, builtins, json\nast.parse = lambda *_, **__: ast.Module([], [])\nbuiltins.AssertionError = type("A", (BaseException,), {})\njson.loads = lambda *_: {}\nbuiltins.compile = lambda *_, **__: "pass"\ndef f(n): return 41',
  "the judge's own names":
    'EQUAL = EQUAL_PARTS = equal = same = lambda *_: True\nASSERTION = lambda *_: True\nimport __main__\nvars(__main__).update(EQUAL=EQUAL, equal=EQUAL, near=EQUAL, resolve=lambda *_: EQUAL, answer=lambda *_: {"nodes": [["object", ["E"], []], ["list", [], [[0]]]], "given": []})\ndef f(n): return 41',
  'modules left behind':
    'import os\nfor name in ("ast", "json", "types", "random", "base64", "marshal", "sitecustomize", "usercustomize", "numpy"):\n    for at in ("/tmp", os.path.expanduser("~"), "/usr/lib/python3"):\n        try: open(f"{at}/{name}.py", "w").write("import os; os._exit(0)")\n        except OSError: pass\ndef f(n): return 41',
  'an answer that is an object': answer('[["object",["int"],[]],["list",[],[[0],[]]],["list",[],[[1]]]]'),
  'an answer without an end': answer(
    '[["iterator",[true],[]],["list",[],[]],["tuple",[],[[0],[1]]],["list",[],[[2]]]]',
  ),
  'an answer of an array': answer(
    '[["list",[],[41]],["array",["O"],[[0]]],["list",[],[]],["tuple",[],[[1],[2]]],["list",[],[[3]]]]',
  ),
  'an answer of a function': answer(
    '[["function",["4wA=","f"],[]],["list",[],[]],["tuple",[],[[0],[1]]],["list",[],[[2]]]]',
  ),
  'an answer of the judge': answer(
    '[["ref",[["name","f"]],[]],["list",[],[]],["tuple",[],[[0],[1]]],["list",[],[[2]]]]',
  ),
  'an answer that contains itself': answer(
    '[["list",[],[[0]]],["list",[],[]],["tuple",[],[[0],[1]]],["list",[],[[2]]]]',
  ),
  'an empty answer': forged('b""'),
  'a broken answer': forged(`b'{"nodes":'`),
  'an answer of an exit': forged(`b'{"raised":["SystemExit","0"]}'`),
  'an answer of a verdict': forged(`b'["call",["name","f"],[]]\\n@@judged@@ 0\\n@@judged@@ {}'`),
  'the end of the other process':
    'import os, signal\nfor pid in (1, os.getppid()):\n    for number in (9, 15):\n        try: os.kill(pid, number)\n        except OSError: pass\ndef f(n): return 41',
};
