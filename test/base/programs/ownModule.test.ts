import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { OwnModule } from '../../../base/programs/ownModule.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const opened: OwnModule[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const module of opened.splice(0)) await module.close();
});

function open(name: string, source: string, { timeoutMs = 20_000, maxBytes = 10_000 } = {}) {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, source);
  if (!name.endsWith('.txt')) chmodSync(file, 0o755);
  vi.stubEnv('OPENAI_API_KEY', 'sk-secret');
  const module = new OwnModule({ key: 'judge.module', file, timeoutMs, maxBytes });
  opened.push(module);
  return { module, file };
}

const python = `import os
def answer(asked):
    return [asked["n"] + 1, os.environ.get("OPENAI_API_KEY")]
`;

/** A program in any language: it speaks on file descriptor 3. */
const program = (answers: string) => `#!/usr/bin/env python3
import json, os, sys, time
questions, out = os.fdopen(3, "rb", buffering=0), os.fdopen(os.dup(3), "wb", buffering=0)
def say(**said): out.write(json.dumps(said).encode() + b"\\n")
say(ready=True)
for number, line in enumerate(questions):
    asked = json.loads(line)
    id, n = asked["id"], asked["question"]["n"]
    ${answers}
`;
const plainAnswer = 'say(id=id, value=[n + 1, os.environ.get("OPENAI_API_KEY")])';

test.each([
  ['a.ts', 'export default async ({ n }: { n: number }) => [n + 1, process.env.OPENAI_API_KEY ?? null];'],
  ['a.js', 'console.log("hello"); export default ({ n }) => [n + 1, process.env.OPENAI_API_KEY ?? null];'],
  ['a.py', python],
  ['b.py', `#!/usr/bin/env python3\nasync ${python.replace('import os\n', '')}import os\n`],
  ['a', program(plainAnswer)],
])('%s answers, and is told no secret', async (name, source) => {
  const { module } = open(name, source);
  await module.check();
  const asked = await Promise.all([1, 2, 3, 4, 5, 6, 7].map((n) => module.ask({ n })));
  expect(asked).toEqual([2, 3, 4, 5, 6, 7, 8].map((n) => [n, null]));
});

test.each([
  ['a.ts', 'const a = 1;\nexport default (b: number) => a +;\n', 'a.ts:2: '],
  [
    'a.ts',
    'const a = 1;\n\nexport default a;\n',
    'a.ts:3: expected `export default` of a function, got number',
  ],
  ['a.js', '\nthrow new Error("boom");\n', 'a.js:2: boom'],
  ['a.ts', '\nimport { b } from "./b.ts";\nexport default b;\n', 'a.ts:2: Cannot find module'],
  ['a.py', 'import json\ndef f(:\n', 'a.py:2: '],
  [
    'a.py',
    'import json\n\nimport no_such_module_here\n',
    "a.py:3: ModuleNotFoundError: No module named 'no_such_module_here'",
  ],
  ['a.py', 'print("hello")\n', 'a.py: expected a function `answer`, got nothing of that name'],
  ['a.py', 'answer = 3\n', 'a.py: expected a function `answer`, got int'],
  ['a', '#!/bin/sh\necho hello\n', 'a ended with status 0'],
  [
    'a',
    '#!/bin/sh\necho hello >&3\n',
    'a: expected {"ready": true} as its first line on file descriptor 3, got hello',
  ],
  ['a.txt', 'echo hello', "a.txt can't be started (EACCES)"],
])('a broken %s is named with its line (%#)', async (name, source, problem) => {
  const { module } = open(name, source);
  const error = await module.check().catch((one: unknown) => one);
  expect(error).toMatchObject({ name: 'UserError', message: expect.stringContaining(problem) });
  expect((error as Error).message).toMatch(/^judge\.module: /);
});

test('an error of the code names its line, and the next question is answered', async () => {
  const { module } = open(
    'a.ts',
    'export default ({ n }: { n: number }) => {\n  if (n > 1) throw new Error("too much");\n  return n;\n};',
  );
  await expect(module.ask({ n: 2 })).rejects.toMatchObject({
    name: 'OwnModuleError',
    message: 'a.ts:2: too much',
  });
  expect(await module.ask({ n: 1 })).toBe(1);
});

test.each([
  [
    'a.ts',
    'import { writeFileSync } from "node:fs";\nexport default ({ pid }: { pid: string }) => {\n  writeFileSync(pid, String(process.pid));\n  for (;;);\n};',
  ],
  [
    'a.py',
    'import os\ndef answer(asked):\n    with open(asked["pid"], "w") as file: file.write(str(os.getpid()))\n    while True: pass\n',
  ],
])('%s that never returns is stopped', async (name, source) => {
  const { module, file } = open(name, source, { timeoutMs: 2_000 });
  const pidFile = path.join(path.dirname(file), 'pid');
  await expect(module.ask({ pid: pidFile })).rejects.toMatchObject({
    message: `${name} took longer than 2 s and was stopped`,
  });
  await expect.poll(() => existsSync(`/proc/${readFileSync(pidFile, 'utf8')}`)).toBe(false);
});

test('one is stopped that answers too much, or ends instead', async () => {
  const { module } = open('a.js', 'export default ({ n }) => (n === 0 ? process.exit(3) : "x".repeat(n));');
  await expect(module.ask({ n: 20_000 })).rejects.toMatchObject({
    message: 'a.js answered with more than 10000 bytes',
  });
  await expect(module.ask({ n: 0 })).rejects.toMatchObject({ message: 'a.js ended with status 3' });
  expect(await module.ask({ n: 2 })).toBe('xx');
});

const number = (n: unknown) => `export default ({ n }) => (${n});`;

test.each([
  [
    'a.js',
    number('n === 1 ? 1n : n'),
    'a.js: answered with what JSON cannot hold: Do not know how to serialize a BigInt',
  ],
  ['a.js', number('n === 1 ? { score: [0, NaN] } : n'), 'a.js: answered with what JSON cannot hold: NaN'],
  ['a.js', number('n === 1 ? () => 1 : n'), 'a.js: answered with what JSON cannot hold: a function'],
  [
    'a.js',
    `const a = {}; a.a = a; ${number('n === 1 ? a : n')}`,
    'a.js: answered with what JSON cannot hold: Converting circular',
  ],
  [
    'a.py',
    'def answer(asked):\n    return {1, 2} if asked["n"] == 1 else asked["n"]\n',
    'a.py: answered with what JSON cannot hold: ',
  ],
  [
    'a.py',
    'def answer(asked):\n    return float("nan") if asked["n"] == 1 else asked["n"]\n',
    'a.py: answered with what JSON cannot hold: ',
  ],
])('a value of %s that is not JSON is the fault of the module (%#)', async (name, source, problem) => {
  const { module } = open(name, source);
  await expect(module.ask({ n: 1 })).rejects.toMatchObject({ message: expect.stringContaining(problem) });
  expect(await module.ask({ n: 2 })).toBe(2);
});

test('an error of Python names its class and its line in the module', async () => {
  const source = 'import json\ndef answer(asked):\n    return json.loads(asked["text"])\n';
  const { module } = open('a.py', source);
  await expect(module.ask({ text: '{' })).rejects.toMatchObject({
    message: expect.stringMatching(/^a\.py:3: JSONDecodeError: /),
  });
});

/** What else a module may print, start and read, by its language. */
const noises: readonly [string, string][] = [
  ['a.py', 'print("loading model...", flush=True)'],
  ['a.py', 'print("{\\"value\\": 7}", flush=True)'],
  ['a.py', 'os.write(1, b"\\n" * 200000)'],
  ['a.py', 'sys.stdin.read()'],
  ['a.py', 'subprocess.run(["sh", "-c", "echo noise; echo noise >&3; cat"], check=False)'],
  ['a.js', 'console.log("loading model...")'],
  ['a.js', 'fs.writeSync(1, `{"value": 7}\\n`)'],
  ['a.js', 'fs.writeSync(1, "\\n".repeat(200000))'],
  ['a.js', 'child.execFileSync("sh", ["-c", "echo noise; echo noise >&3; cat"], { stdio: "inherit" })'],
  ['a.js', 'await new Promise((ended) => child.fork(import.meta.filename, ["x"]).on("exit", ended))'],
];

test.each([
  ['a.js', 'export default ({ text }) => text;'],
  ['a.py', 'def answer(asked): return asked["text"]'],
])('%s is asked and answers any text', async (name, source) => {
  const { module } = open(name, source);
  for (const text of ['a\u2028b\u2029c', 'a\rb\r\nc', '\ud800', '\0\u0085é💧'])
    expect(await module.ask({ text })).toBe(text);
});

test.each(noises)('%s may print and start what it wants: %s', async (name, noise) => {
  const sources: Record<string, string> = {
    'a.py': `import os, subprocess, sys, time
first = True
def answer(asked):
    global first
    if first: ${noise}
    first = False
    time.sleep(0.02)
    return asked["n"]
`,
    'a.js': `import fs from 'node:fs';
import child from 'node:child_process';
let first = process.argv[2] !== 'x';
if (!first) console.log('{"value": 7}');
export default async ({ n }) => {
  if (first) ${noise};
  first = false;
  return n;
};`,
  };
  const { module } = open(name, sources[name]!, { maxBytes: 100 });
  await module.check();
  for (let n = 0; n < 12; n += 1) expect(await module.ask({ n })).toBe(n);
});

/** Programs that answer what they were not asked, and whether that question fails: those after it are answered. */
const strays: readonly [string, string][] = [
  ['a line that is not JSON', 'if n == 1: out.write(b"loading model...\\n")'],
  ['many empty lines', 'if n == 1: out.write(b"\\n" * 200000)'],
  ['an answer without the id', 'if n == 1: say(value=7)'],
  ['an answer with another id', 'if n == 1: say(id="x" + id, value=7)'],
  ['ready once more', 'if n == 1: say(ready=True)'],
  ['an answer that is neither value nor error', 'if n == 1: say(id=id)'],
  ['an answer that is of two kinds', 'if n == 1: say(id=id, value=7, error="x")'],
  ['a lost answer', 'if n == 1: continue'],
  ['the answers swapped with those before', 'if n == 1: say(id=before, value=7)'],
  ['the process ends', 'if n == 1: sys.exit(0)'],
];

test.each(strays)('%s fails its own question, and moves no answer', async (_, stray) => {
  const source = program(`${stray}\n    say(id=id, value=n)\n    before = id`);
  const { module } = open('a', source, { timeoutMs: 3_000 });
  await module.check();
  const said: unknown[] = [];
  for (let n = 0; n < 6; n += 1) said.push(await module.ask({ n }).catch((error: Error) => error.name));
  expect(said).toEqual([0, 'OwnModuleError', 2, 3, 4, 5]);
});

/** Answers that come again: at once, while the next question is open, and when nothing is asked. */
test.each([
  ['at once', 'say(id=id, value=n); say(id=id, value=n)'],
  ['with the next', 'if n == 2: say(id=before, value=1)\n    say(id=id, value=n)\n    before = id'],
  ['later', 'say(id=id, value=n)\n    time.sleep(0.05)\n    say(id=id, value=n)'],
])('an answer that comes twice, %s, moves no answer', async (_, answers) => {
  const { module } = open('a', program(answers));
  await module.check();
  for (let n = 0; n < 6; n += 1) {
    const said = await module.ask({ n }).catch((error: Error) => error.name);
    expect([n, 'OwnModuleError']).toContain(said);
  }
});
