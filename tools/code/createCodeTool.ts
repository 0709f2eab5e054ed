import { z } from 'zod';
import type { Sandbox, SandboxResult } from '../../contract/sandbox.ts';
import type { Tool } from '../../contract/tool.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';
import { defineTool, describedTool, type InputRule } from '../parseToolInput.ts';
import { sectionRow } from '../toolRow.ts';

export const codeRow = sectionRow('code', {
  async open({ timeout_s, max_output_chars, output_cut }, { sandbox }) {
    const shown = { maxChars: max_output_chars, cut: output_cut };
    return sandbox && createCodeTool({ sandbox, timeoutMs: timeout_s * 1000, shown });
  },
});

const codeSchema = z.strictObject({
  code: z.string().regex(/\S/, 'is empty').describe('A whole Python 3 program; what it prints is shown'),
  stdin: z.string().optional().describe('What the program reads from standard input'),
});

type CodeInput = z.infer<typeof codeSchema>;

const codeInput: InputRule<CodeInput> = {
  schema: codeSchema,
  example: '{"code": "a Python program", "stdin": "its input, where it reads any"}',
};

/** The `code` tool: runs a Python program and shows its result. The caller closes the sandbox. */
export function createCodeTool(options: {
  sandbox: Sandbox;
  timeoutMs: number;
  shown: ObservationLimit;
}): Tool {
  const { sandbox, timeoutMs, shown } = options;
  const description = 'Runs a Python program without network and shows its output.';
  const described = describedTool('code', description, codeInput);
  return {
    ...described,
    // Small models fill in `stdin` if offered; mathematical problems have none.
    definitionFor: (domain) =>
      domain === 'code'
        ? described.definition
        : defineTool('code', description, codeSchema.omit({ stdin: true })),
    call: async (input, signal) => {
      const { code, stdin = '' } = input as CodeInput;
      const result = await sandbox.run({ code, stdin, timeoutMs }, signal);
      const { kind, exitCode, stdout, stderr } = result;
      return {
        observation: codeObservation(result, shown),
        raw: { kind, exit_code: exitCode, stdout, stderr },
      };
    },
  };
}

/** Observation after a timeout (AFM's text). */
const TIME_OUT_TEXT = 'Time out. Check for infinite loops, blocked I/O (e.g., input()), or deadlocks.';

/** 128 + SIGKILL: status of an out-of-memory kill by the kernel. */
const KILLED_STATUS = 137;

const NOTHING_PRINTED = '\nNothing was printed: use print() to see a result.';

/** White space of Python's `str.strip()`, which differs from JavaScript's. */
const pythonSpace =
  '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const edges = new RegExp(`^${pythonSpace}|${pythonSpace}$`, 'g');

/** Limit of an observation. */
interface ObservationLimit {
  /** Maximum characters: code points, as Python counts. */
  readonly maxChars: number;
  /** Shown part of a longer text: its head, or half from each end with a notice between, which adds to the length. */
  readonly cut: CodeConfig['output_cut'];
}

/**
 * Observation of a program's result, byte by byte in AFM's wording: stderr of a successful program is hidden, output
 * is stripped, and the whole text is truncated. A line of our own marks a successful program without output: models
 * took AFM's text for a result, and made one up.
 */
export function codeObservation(result: SandboxResult, { maxChars, cut }: ObservationLimit): string {
  const characters = [...describe(result).toWellFormed()];
  if (characters.length <= maxChars) return characters.join('');
  return cut === 'head' ? characters.slice(0, maxChars).join('') : withoutMiddle(characters, maxChars);
}

/** AFM's `truncate_content`: for an odd number the tail is longer. */
function withoutMiddle(characters: readonly string[], maxChars: number): string {
  const notice = `\n..._This content has been truncated to stay below ${maxChars} characters_...\n`;
  const head = characters.slice(0, Math.floor(maxChars / 2));
  return [...head, notice, ...characters.slice(-Math.ceil(maxChars / 2))].join('');
}

function describe({ kind, exitCode, stdout, stderr }: SandboxResult): string {
  if (kind === 'timed_out') return TIME_OUT_TEXT;
  if (kind === 'output_limit')
    return `[FAILED] Code was stopped: it wrote too much.\n${block('STDOUT', stdout)}`;
  if (kind === 'memory_limit')
    return withBlocks(`[FAILED] Code exited with status ${KILLED_STATUS}`, stdout, stderr);
  const done = '[EXECUTED] Code exited with status 0';
  if (exitCode === 0) return withBlocks(done, stdout, '') + (stdout ? '' : NOTHING_PRINTED);
  return withBlocks(`[FAILED] Code exited with status ${exitCode}`, stdout, stderr);
}

function withBlocks(status: string, stdout: string, stderr: string): string {
  const blocks = [...(stdout ? [block('STDOUT', stdout)] : []), ...(stderr ? [block('STDERR', stderr)] : [])];
  if (blocks.length === 0) return `${status} (no output).`;
  return `${status}${blocks.length === 2 ? ' with mixed output:' : '.'}\n${blocks.join('\n')}`;
}

function block(name: 'STDOUT' | 'STDERR', output: string): string {
  return `[${name}:BEGIN]\n${output.replace(edges, '')}\n[${name}:END]`;
}
