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

const python = `import json, os, sys
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"value": [asked["n"] + 1, os.environ.get("OPENAI_API_KEY")]}), flush=True)
`;

test.each([
  ['a.ts', 'export default async ({ n }: { n: number }) => [n + 1, process.env.OPENAI_API_KEY ?? null];'],
  ['a.js', 'console.log("hello"); export default ({ n }) => [n + 1, process.env.OPENAI_API_KEY ?? null];'],
  ['a.py', python],
  ['a', `#!/usr/bin/env python3\n${python}`],
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
  ['a.py', 'import json\n\nimport no_such_module_here\n', "a.py:3: No module named 'no_such_module_here'"],
  ['a.py', 'print("hello")\n', 'a.py: expected a line of JSON, got "hello"'],
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
    'import json, os, sys\nprint(json.dumps({"ready": True}), flush=True)\nfor line in sys.stdin:\n    open(json.loads(line)["pid"], "w").write(str(os.getpid()))\n    while True: pass\n',
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
