import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { Sandbox } from '../../contract/sandbox.ts';
import { createPyodideSandbox } from '../../tools/sandbox/createPyodideSandbox.ts';

const forever = new AbortController().signal;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createPyodideSandbox({ timeoutMs: 20_000, concurrency: 1 });
});
afterAll(() => sandbox.close());
afterEach(() => vi.unstubAllEnvs());

const run = (code: string, stdin = '', timeoutMs?: number) =>
  sandbox.run({ code, stdin, ...(timeoutMs === undefined ? {} : { timeoutMs }) }, forever);

test('a program reads stdin, writes both streams and ends with its status', async () => {
  const code =
    'import sys\nprint(input()[::-1], len(sys.stdin.read()))\nprint("err", file=sys.stderr)\nsys.exit(7)';
  expect(await run(code, `äbc\n${'x'.repeat(300_000)}`)).toMatchObject({
    kind: 'exited',
    exitCode: 7,
    stdout: 'cbä 300000\n',
    stderr: 'err\n',
  });
});

test.each([
  ['raise SystemExit', 0, ''],
  ['raise SystemExit(300)', 44, ''],
  ['raise SystemExit("bad")', 1, 'bad\n'],
])('the status of %j is %d', async (code, exitCode, stderr) => {
  expect(await run(code)).toMatchObject({ kind: 'exited', exitCode, stderr });
});

test('an error is shown as Python shows it, without frames of ours', async () => {
  const { exitCode, stderr } = await run('def f():\n    return 1 / 0\nf()');
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^Traceback \(most recent call last\):\n {2}File "\/tmp\/main.py", line 3, in <module>\n/,
  );
  expect(stderr).toMatch(/ZeroDivisionError: division by zero\n$/);
});

test('long output comes whole and once', async () => {
  const { stdout } = await run('for n in range(200_000): print(n)');
  expect(stdout).toBe(Array.from({ length: 200_000 }, (_, n) => `${n}\n`).join(''));
});

test('a program sees nothing of ours', async () => {
  const code = 'import js, os\nprint(os.path.exists("/etc/passwd"), list(js.Object.keys(js.process.env)))';
  expect((await run(code)).stdout).toBe('False []\n');
});

test.each([
  ['a built-in', 'import builtins\nbuiltins.left = 1', 'import builtins\nprint(hasattr(builtins, "left"))'],
  ['a built-in function', 'import builtins\nbuiltins.len = lambda x: 7', 'print(len([]) == 7)'],
  ['a file', 'open("/tmp/left", "w").close()', 'import os\nprint(os.path.exists("/tmp/left"))'],
  ['a folder', 'import os\nos.makedirs("/tmp/a/b")', 'import os\nprint(os.listdir("/tmp") != ["main.py"])'],
  ['a global', 'left = 1', 'print("left" in globals())'],
  ['a module', 'import json, sys\nsys.modules["left"] = json', 'import sys\nprint("left" in sys.modules)'],
  ['an imported module', 'import fractions', 'import sys\nprint("fractions" in sys.modules)'],
  ['a patched module', 'import math\nmath.pi = 3', 'import math\nprint(math.pi == 3)'],
  ['a patched loaded module', 'import os\nos.getcwd = lambda: "x"', 'import os\nprint(os.getcwd() == "x")'],
  [
    'a seed',
    'import random\nrandom.seed(5)\nrandom.random()',
    'import random\nprint(random.random() == random.Random(5).random())',
  ],
  ['a variable', 'import os\nos.environ["LEFT"] = "1"', 'import os\nprint("LEFT" in os.environ)'],
  ['the folder', 'import os\nos.chdir("/")', 'import os\nprint(os.getcwd() == "/")'],
  ['the path', 'import sys\nsys.path.append("left")', 'import sys\nprint("left" in sys.path)'],
  [
    'limits',
    'import sys\nsys.setrecursionlimit(77)\nsys.set_int_max_str_digits(9999)',
    'import sys\nprint(sys.getrecursionlimit() == 77 or sys.get_int_max_str_digits() == 9999)',
  ],
  ['an exit function', 'import atexit\natexit.register(lambda: print("left"))', 'print(False)'],
  [
    'a decimal context',
    'import decimal\ndecimal.getcontext().prec = 3',
    'import decimal\nprint(decimal.getcontext().prec == 3)',
  ],
  [
    'warnings',
    'import warnings\nwarnings.simplefilter("error")',
    'import warnings\nwarnings.warn("x")\nprint(False)',
  ],
  ['a trace', 'import sys\nsys.settrace(lambda *a: print("left"))', 'def f(): pass\nf()\nprint(False)'],
  ['closed streams', 'import os, sys\nsys.stdout.close()\nos.close(1)', 'print(False)'],
  ['another output', 'import os\nos.dup2(os.open("/tmp/x", os.O_CREAT | os.O_WRONLY), 1)', 'print(False)'],
])('%s of a program is not seen by the next', async (_what, before, after) => {
  await run(before);
  expect(await run(after)).toMatchObject({ exitCode: 0, stdout: 'False\n' });
});

test('input that a program leaves is not the next one’s', async () => {
  await run('input()', 'one\ntwo\nthree\n');
  expect((await run('print(input())', 'four\n')).stdout).toBe('four\n');
  expect((await run('import sys\nprint(repr(sys.stdin.read()))')).stdout).toBe("''\n");
});

test('what programs print comes whole, to the one that printed it', async () => {
  for (let size = 1; size < 3_000_000; size *= 7) {
    const { stdout, stderr } = await run(`import sys\nsys.stderr.write("e" * ${size})\nprint("o" * ${size})`);
    expect([stdout.length, stderr.length]).toEqual([size + 1, size]);
  }
});

test('stopping ends a running program', async () => {
  const stop = new AbortController();
  const ended = sandbox.run({ code: 'while True: pass', stdin: '' }, stop.signal);
  setTimeout(() => stop.abort(new Error('stopped')), 50);
  await expect(ended).rejects.toThrow('stopped');
});
