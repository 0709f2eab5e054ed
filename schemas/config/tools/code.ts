import { z } from 'zod';
import { withoutAbsent } from '../../../base/withoutAbsent.ts';
import { key, keyOf, placePath, positive, positiveInt } from '../keyMeaning.ts';

const programsKey = keyOf('rollout', 'judge');

/** Guarantees of a sandbox; a configuration may accept that one is not kept. */
export const sandboxPromises = [
  'network',
  'host_files',
  'environment',
  'other_processes',
  'kernel_calls',
  'leftovers',
  'wall_clock',
  'cpu',
  'memory',
  'process_count',
  'file_size',
  'open_files',
  'disk',
  'output',
] as const;

/** Shown part of a text that is too long: its head, or half from each end. */
const outputCuts = ['head', 'middle'] as const;

/** Defaults of keys that depend on `preset`. */
const defaults = {
  timeout_s: 7,
  cpu_s: undefined,
  memory_mb: 512,
  max_output_chars: 512,
  output_cut: 'head',
} as const;

/**
 * `afm`: settings of AFM's code tool (`rlimit_cpu`, `rlimit_as` and timeout in `nsjail_sandbox.py`; in
 * `code_executor.py` three times its `max_obs_length` of 512, cut by `truncate_content`).
 */
const presets = {
  afm: { timeout_s: 7, cpu_s: 5, memory_mb: 5000, max_output_chars: 1536, output_cut: 'middle' },
} as const;

const codeSectionSchema = z.strictObject({
  preset: key(
    z.enum(['afm']).optional(),
    "afm: limits of AFM's code tool (7 s, 5 s of CPU, 5,000 MB, 1,536 characters), for keys that are absent. What it sets shapes the stages",
  ),
  backend: programsKey(
    z.enum(['auto', 'bubblewrap', 'pyodide']).default('auto'),
    'Sandbox that programs run in; auto: bubblewrap, and pyodide only with allow_unsafe',
  ),
  allow_unsafe: key(
    z.boolean().default(false),
    'Whether pyodide may run where bubblewrap is missing: for the bundled examples only',
  ),
  accept_weaknesses: key(
    z.array(z.enum(sandboxPromises)).default([]),
    'Promises of the sandbox that need not be kept on this machine; coa-distill doctor shows which are not',
  ),
  timeout_s: programsKey(positive.optional(), 'Wall-clock seconds that a program may take; absent: 7'),
  cpu_s: programsKey(
    positiveInt.optional(),
    'CPU seconds of a program and all that it starts; absent: the wall-clock limit',
  ),
  memory_mb: programsKey(
    positiveInt.optional(),
    'Memory of a program and all that it starts, in MB, its files included; absent: 512',
  ),
  cgroup: key(
    placePath.optional(),
    'Folder of a control group in which others may be made, for the memory limit; absent: our own',
  ),
  max_output_chars: programsKey(
    positiveInt.optional(),
    'Most characters of the output that the agent is shown; absent: 512',
  ),
  output_cut: programsKey(
    z.enum(outputCuts).optional(),
    'What is shown of a longer output: its head, or (middle) half from each end with a notice between, as AFM does; absent: head',
  ),
  concurrency: key(
    positiveInt.optional(),
    'Most programs that run at once; absent: two a processor, 64 at most, as far as half of the memory holds them',
  ),
});

/** The `tools.code` section: programs in a sandbox. Limits that are absent come from the preset. */
export const codeConfigSchema = codeSectionSchema
  .transform((section) => {
    const preset = section.preset === undefined ? defaults : presets[section.preset];
    return { ...section, ...preset, ...withoutAbsent(section) };
  })
  .describe('Programs in a sandbox');
export type CodeConfig = z.infer<typeof codeConfigSchema>;
export type CodeSettings = z.input<typeof codeConfigSchema>;
