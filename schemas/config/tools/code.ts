import { z } from 'zod';
import { configPathSchema } from '../paths.ts';

/** What a sandbox promises; a configuration may accept that one of them is not kept. */
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

/** The `tools.code` section: programs in a sandbox. */
export const codeConfigSchema = z.strictObject({
  backend: z
    .enum(['auto', 'bubblewrap', 'nsjail', 'pyodide'])
    .default('auto')
    .describe('auto: bubblewrap, and pyodide only with allow_unsafe'),
  nsjail_path: configPathSchema.optional().describe('The nsjail program; by default the one on the PATH'),
  allow_unsafe: z
    .boolean()
    .default(false)
    .describe('Lets pyodide run where bubblewrap is missing: for the bundled examples only'),
  accept_weaknesses: z
    .array(z.enum(sandboxPromises))
    .default([])
    .describe('Promises that need not be kept here; doctor shows which are not'),
  timeout_s: z.number().positive().default(7).describe('Wall-clock limit of a program'),
  cpu_s: z
    .int()
    .positive()
    .optional()
    .describe('CPU seconds of a program and all that it starts; by default the wall-clock limit'),
  memory_mb: z
    .int()
    .positive()
    .default(512)
    .describe('Memory of a program and all that it starts, its files counted in'),
  cgroup: configPathSchema
    .optional()
    .describe('A control group in which we may make others, for the memory limit; by default our own'),
  max_processes: z.int().positive().default(24).describe('Processes and threads at once'),
  max_file_mb: z.int().positive().default(16).describe('Size of each file that a program writes'),
  max_open_files: z.int().min(16).default(64).describe('Open files of each process'),
  max_output_mb: z.int().positive().default(4).describe('Read of each output stream before it is cut off'),
  disk_mb: z.int().positive().default(64).describe('Files of a program together'),
  max_output_chars: z.int().positive().default(512).describe('Shown to the agent'),
  concurrency: z.int().positive().default(2).describe('Programs run at once'),
});
/** See {@link codeConfigSchema}. */
export type CodeConfig = z.infer<typeof codeConfigSchema>;
/** {@link CodeConfig} as it is written, with defaults left out. */
export type CodeSettings = z.input<typeof codeConfigSchema>;
