import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import type { SandboxProgram } from '../../contract/sandbox.ts';
import { readCollected } from '../../tools/sandbox/insideCommand.ts';
import { isolatingSandboxes } from './support/isolatingSandboxes.ts';

const { signal } = new AbortController();
const MEGABYTE = 1 << 20;

describe.each(isolatingSandboxes)('%s', (_name, create) => {
  const sandbox = create({ timeoutMs: 20_000, concurrency: 2 });
  afterAll(() => sandbox.close());
  const run = (program: Partial<SandboxProgram>) =>
    sandbox.run({ code: 'pass', stdin: '', ...program }, signal);

  test('gives a program its files, as text and as bytes, beside its stdin', async () => {
    const code = `
import helper
print(input(), helper.twice(open('data/größe.txt').read()), list(open('data/a b.bin', 'rb').read()))`;
    const files = [
      { path: 'helper.py', content: 'def twice(x): return x + x' },
      { path: 'data/größe.txt', content: 'é' },
      { path: 'data/a b.bin', content: new Uint8Array([0, 10, 255]) },
    ];
    expect(await run({ code, stdin: 'in\n', files })).toMatchObject({
      stdout: 'in éé [0, 10, 255]\n',
      stderr: '',
    });
  });

  test('gives back the files that were asked for, and no others', async () => {
    const code = `
import os
os.mkdir('made')
open('made/out.txt', 'w').write('out')
open('other.txt', 'w').write('not asked for')
open('large', 'wb').write(bytes(2 << 20))
os.symlink('/usr/bin/env', 'link')
os.mkfifo('pipe')
raise SystemExit(3)`;
    const outputs = ['made/out.txt', 'none', 'link', 'made', 'pipe', 'large', 'given'];
    const files = [{ path: 'given', content: 'as it was' }];
    const limits = { fileBytes: 3 * MEGABYTE };
    const { exitCode, files: got } = await run({ code, outputs, files, limits });
    expect(exitCode).toBe(3);
    expect(got?.map(({ path, content, absent }) => [path, absent ?? Buffer.from(content!).length])).toEqual([
      ['made/out.txt', 3],
      ['none', 'missing'],
      ['link', 'missing'],
      ['made', 'missing'],
      ['pipe', 'missing'],
      ['large', 2 * MEGABYTE],
      ['given', 9],
    ]);
  });

  test('takes any bytes in and gives the same out', async () => {
    const name = fc.stringMatching(/^[a-z '"$;&*-]{1,12}$/);
    const content = fc.uint8Array({ maxLength: 3000 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, content), { selector: ([key]) => key, maxLength: 4 }),
        async (given) => {
          const files = given.map(([path, bytes]) => ({ path: `in/${path}`, content: bytes }));
          const result = await run({ files, outputs: files.map(({ path }) => path) });
          expect(result.files?.map((file) => Buffer.from(file.content!)) ?? []).toEqual(
            files.map((file) => Buffer.from(file.content)),
          );
        },
      ),
      { numRuns: 8 },
    );
  });

  test('gives no files of a program that was cut off, and of one that fills everything all it can', async () => {
    const cut = await run({ code: 'while True: pass', outputs: ['x'], timeoutMs: 500 });
    expect([cut.kind, cut.files]).toEqual(['timed_out', undefined]);
    const code = `
import os, time
open('x', 'w').write('kept')
try:
    while True:
        if os.fork() == 0: time.sleep(15)
except OSError: pass`;
    const full = await run({ code, outputs: ['x'] });
    expect(Buffer.from(full.files![0]!.content!).toString()).toBe('kept');
  });

  test.each([
    [{ files: [{ path: '/etc/passwd', content: '' }] }, 'relative'],
    [{ files: [{ path: '../x', content: '' }] }, 'relative'],
    [{ files: [{ path: 'a/./x', content: '' }] }, 'relative'],
    [{ files: [{ path: 'a//x', content: '' }] }, 'relative'],
    [{ files: [{ path: '', content: '' }] }, 'relative'],
    [{ files: [{ path: 'a\0b', content: '' }] }, 'relative'],
    [{ files: [{ path: 'x'.repeat(300), content: '' }] }, 'relative'],
    [{ outputs: ['a/../../x'] }, 'relative'],
    [{ files: [{ path: 'main.py', content: '' }] }, 'two files'],
    [{ files: [{ path: 'main.py/x', content: '' }] }, 'folder too'],
    [
      {
        files: [
          { path: 'a/b', content: '' },
          { path: 'a', content: '' },
        ],
      },
      'folder too',
    ],
    [{ files: [{ path: 'a', content: 'xx' }], limits: { fileBytes: 1 } }, 'more than 1'],
    [{ files: [{ path: 'a', content: 'xx' }], limits: { diskBytes: 4 } }, 'more than 4'],
    [{ outputs: Array(300).fill('x') }, '256 files at most'],
  ] as [Partial<SandboxProgram>, string][])('refuses %j', async (program, words) => {
    const refused = run(program);
    await expect(refused).rejects.toBeInstanceOf(UserError);
    await expect(refused).rejects.toThrow(words);
  });
});

test('what a program forges in place of its files is read within the limits', () => {
  const read = (written: string) =>
    readCollected(Buffer.from(written), ['a', 'b'], 4).map(
      ({ content, absent }) => absent ?? String(content),
    );
  expect(read('1\nx2\nyz')).toEqual(['x', 'yz']);
  expect(read('-1\n5\n12345')).toEqual(['missing', 'too_large']);
  expect(read('9999999999\nx')).toEqual(['too_large', 'missing']);
  expect(read('1e9\nx')).toEqual(['too_large', 'missing']);
  expect(read('nonsense')).toEqual(['missing', 'missing']);
  expect(read('')).toEqual(['missing', 'missing']);
});
