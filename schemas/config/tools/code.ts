import { z } from 'zod';

/** The `tools.code` section: programs in a sandbox. */
export const codeConfigSchema = z.strictObject({
  backend: z
    .enum(['auto', 'bubblewrap', 'pyodide'])
    .default('auto')
    .describe('auto: bubblewrap, and pyodide only with allow_unsafe'),
  allow_unsafe: z
    .boolean()
    .default(false)
    .describe('Lets pyodide run where bubblewrap is missing: for the bundled examples only'),
  timeout_s: z.number().positive().default(7).describe('Wall-clock limit of a program'),
  memory_mb: z.int().positive().default(512),
  max_output_chars: z.int().positive().default(512).describe('Shown to the agent'),
  concurrency: z.int().positive().default(2).describe('Programs run at once'),
});
/** See {@link codeConfigSchema}. */
export type CodeConfig = z.infer<typeof codeConfigSchema>;
