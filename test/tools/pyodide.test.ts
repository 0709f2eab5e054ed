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
  ['import os\nos._exit(9)', 9, ''],
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

test('nothing of a program is seen by the next: a built-in, a file, a variable, input', async () => {
  const before =
    'import builtins, os\nbuiltins.left = 1\nopen("/tmp/left", "w").close()\nos.environ["LEFT"] = "1"';
  const after = `import builtins, os, sys
print(hasattr(builtins, "left"), os.path.exists("/tmp/left"), "LEFT" in os.environ, sys.stdin.read() != "")`;
  await run(before, 'one\ntwo\n');
  expect(await run(after)).toMatchObject({ exitCode: 0, stdout: 'False False False False\n' });
});

test('what programs print comes whole, to the one that printed it', async () => {
  for (const size of [1, 343_000]) {
    const { stdout, stderr } = await run(`import sys\nsys.stderr.write("e" * ${size})\nprint("o" * ${size})`);
    expect([stdout.length, stderr.length]).toEqual([size + 1, size]);
  }
});

test.each([
  ['timed_out', 'while True: pass', 300],
  ['output_limit', 'while True: print("x" * 1000)', 20_000],
])('%s: a program is cut off', async (kind, code, timeoutMs) => {
  expect(await run(code, '', timeoutMs)).toMatchObject({ kind, exitCode: null });
});

test('stopping ends a running program', async () => {
  const stop = new AbortController();
  const ended = sandbox.run({ code: 'while True: pass', stdin: '' }, stop.signal);
  setTimeout(() => stop.abort(new Error('stopped')), 50);
  await expect(ended).rejects.toThrow('stopped');
});

/** Answers that are lost, come twice, late and unasked, and one that ends its process. */
const planted = [
  'import os\nos._exit(0)',
  'print("planted")\nprint("planted")',
  'print("planted", flush=True)\nwhile True: pass',
  'import js\njs.process.send("ready")\nprint("planted")',
  'import js\njs.process.kill(js.process.pid, "SIGKILL")',
];

// Each program has a process of its own, which is never asked again.
test('no planted answer moves that of the next program', async () => {
  const programs = ['print(0)', ...planted.flatMap((code, at) => [code, `print(${at + 1})`])];
  const ended = await Promise.all(
    programs.map((code) => run(code, '', planted.includes(code) ? 1_000 : undefined)),
  );
  for (const [at, { stdout }] of ended.entries())
    if (at % 2 === 0) expect(stdout).toBe(`${at / 2}\n`);
    else expect(stdout.replaceAll('planted\n', '')).toBe('');
});
