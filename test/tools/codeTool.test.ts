// Needs bubblewrap, python3, python3-numpy.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SandboxResult } from '../../contract/sandbox.ts';
import { type CodeConfig, codeConfigSchema } from '../../schemas/config/tools/code.ts';
import { codeObservation, createCodeTool } from '../../tools/code/createCodeTool.ts';
import { createBubblewrapSandbox } from '../../tools/sandbox/createBubblewrapSandbox.ts';

const ended = (result: Partial<SandboxResult>): SandboxResult => ({
  kind: 'exited',
  exitCode: 0,
  stdout: '',
  stderr: '',
  durationMs: 1,
  ...result,
});
const shown = (result: Partial<SandboxResult>) =>
  codeObservation(ended(result), { maxChars: 512, cut: 'head' });

describe('the observation, to the byte', () => {
  test.each<[string, Partial<SandboxResult>, string]>([
    ['done', { stdout: '  5\n' }, '[EXECUTED] Code exited with status 0.\n[STDOUT:BEGIN]\n5\n[STDOUT:END]'],
    [
      'done without output',
      { stderr: 'warning' },
      '[EXECUTED] Code exited with status 0 (no output).\nNothing was printed: use print() to see a result.',
    ],
    [
      'only white space',
      { stdout: '\n' },
      '[EXECUTED] Code exited with status 0.\n[STDOUT:BEGIN]\n\n[STDOUT:END]',
    ],
    [
      'failed with an error',
      { exitCode: 1, stderr: 'Error\n' },
      '[FAILED] Code exited with status 1.\n[STDERR:BEGIN]\nError\n[STDERR:END]',
    ],
    [
      'failed with output',
      { exitCode: 3, stdout: 'a\nb\n' },
      '[FAILED] Code exited with status 3.\n[STDOUT:BEGIN]\na\nb\n[STDOUT:END]',
    ],
    ['failed without output', { exitCode: 137 }, '[FAILED] Code exited with status 137 (no output).'],
    [
      'failed with both',
      { exitCode: 1, stdout: 'a\n', stderr: 'b\n' },
      '[FAILED] Code exited with status 1 with mixed output:\n' +
        '[STDOUT:BEGIN]\na\n[STDOUT:END]\n[STDERR:BEGIN]\nb\n[STDERR:END]',
    ],
    [
      'out of time',
      { kind: 'timed_out', exitCode: null, stdout: 'a' },
      'Time out. Check for infinite loops, blocked I/O (e.g., input()), or deadlocks.',
    ],
    [
      'too much memory, as a program that was killed',
      { kind: 'memory_limit', exitCode: null, stdout: 'a\n' },
      '[FAILED] Code exited with status 137.\n[STDOUT:BEGIN]\na\n[STDOUT:END]',
    ],
    [
      'too much output',
      { kind: 'output_limit', exitCode: null, stdout: 'a' },
      '[FAILED] Code was stopped: it wrote too much.\n[STDOUT:BEGIN]\na\n[STDOUT:END]',
    ],
  ])('%s', (_name, result, text) => {
    expect(shown(result)).toBe(text);
  });

  test("output is stripped as Python's str.strip does", () => {
    expect(shown({ stdout: '\u001c\u0085\u00a0x\ufeff\u3000\n' })).toContain(
      '[STDOUT:BEGIN]\nx\ufeff\n[STDOUT:END]',
    );
  });

  test('is never longer than its limit, in code points, and always well-formed', () => {
    const text = fc.string({ unit: 'binary', maxLength: 700 });
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 1, max: 600 }),
        (out, err, exitCode, limit) => {
          const within = (maxChars: number) =>
            codeObservation(ended({ exitCode, stdout: out, stderr: err }), { maxChars, cut: 'head' });
          const observation = within(limit);
          expect([...observation].length).toBeLessThanOrEqual(limit);
          expect(observation.isWellFormed()).toBe(true);
          expect(within(10_000).startsWith(observation)).toBe(true);
        },
      ),
    );
  });
});

describe("cut in the middle, as AFM's truncate_content does", () => {
  const cut = (stdout: string, maxChars: number) =>
    codeObservation(ended({ stdout }), { maxChars, cut: 'middle' });
  const whole = (stdout: string) => codeObservation(ended({ stdout }), { maxChars: 1e6, cut: 'head' });

  test('to the character, in code points; what is short enough stays whole', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 300 }),
        fc.integer({ min: 1, max: 400 }),
        (text, limit) => {
          const characters = [...whole(text)];
          const shown = cut(text, limit);
          if (characters.length <= limit) return void expect(shown).toBe(whole(text));
          const [head, tail, ...more] = shown.split(
            `\n..._This content has been truncated to stay below ${limit} characters_...\n`,
          );
          expect(more).toEqual([]);
          expect([[...head!].length, [...tail!].length]).toEqual([
            Math.floor(limit / 2),
            Math.ceil(limit / 2),
          ]);
          expect([whole(text).startsWith(head!), whole(text).endsWith(tail!)]).toEqual([true, true]);
        },
      ),
    );
  });
});

describe('the preset', () => {
  const limits = ({ timeout_s, cpu_s, memory_mb, max_output_chars, output_cut }: CodeConfig) => [
    ...[timeout_s, cpu_s, memory_mb, max_output_chars, output_cut],
  ];

  test("afm has AFM's limits, and what is written comes before it", () => {
    const afm = { preset: 'afm' } as const;
    expect(limits(codeConfigSchema.parse({}))).toEqual([7, undefined, 512, 512, 'head']);
    expect(limits(codeConfigSchema.parse(afm))).toEqual([7, 5, 5000, 1536, 'middle']);
    const own = { ...afm, memory_mb: 1024, max_output_chars: 512, output_cut: 'head' } as const;
    expect(limits(codeConfigSchema.parse(own))).toEqual([7, 5, 1024, 512, 'head']);
    expect(codeConfigSchema.parse(codeConfigSchema.parse(afm))).toEqual(codeConfigSchema.parse(afm));
  });
});

describe('the tool', () => {
  const sandbox = createBubblewrapSandbox({ timeoutMs: 20_000, concurrency: 1 });
  const tool = (timeoutMs: number) =>
    createCodeTool({ sandbox, timeoutMs, shown: { maxChars: 512, cut: 'head' } });
  const { signal } = new AbortController();

  test('runs a program with its input', async () => {
    const { observation, raw } = await tool(20_000).call(
      { code: 'print(int(input()) * 2)', stdin: '21' },
      signal,
    );
    expect(observation).toBe('[EXECUTED] Code exited with status 0.\n[STDOUT:BEGIN]\n42\n[STDOUT:END]');
    expect(raw).toEqual({ kind: 'exited', exit_code: 0, stdout: '42\n', stderr: '' });
  });

  test('takes code and stdin, and says so', () => {
    const input = { code: 'print(1)', stdin: '' };
    expect(tool(1).parseInput(input)).toEqual({ ok: true, input });
    for (const wrong of [{}, { code: ' \n' }, { code: 1 }, { code: 'x', language: 'py' }, null, 'print(1)']) {
      const parsed = tool(1).parseInput(wrong);
      expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining('Expected {"code"') });
    }
    expect(tool(1).definition.parameters).toMatchObject({
      type: 'object',
      required: ['code'],
      additionalProperties: false,
      properties: { code: { type: 'string' }, stdin: { type: 'string' } },
    });
  });
});
