import { z } from 'zod';
import { keyOf } from './keyMeaning.ts';
import { modelKey } from './models.ts';
import { passRateFromSchema } from './passRate.ts';

const probeKey = keyOf('probe');

/** The `probe` section: difficulty of tasks, measured before a teacher is paid. */
export const probeConfigSchema = z
  .strictObject({
    model: modelKey(
      'chat',
      'probe',
    )('Model that tries each task without tools; absent: none is asked').optional(),
    tries: probeKey(z.int().min(1).max(1_000).default(8), 'Times that the model is asked each question'),
    pass_rate: passRateFromSchema('all tasks are tried; those in the file are not', 'probe', 'filter')
      .prefault({})
      .describe('Share of right answers, measured before the teacher; tasks without a rate are kept'),
  })
  .refine(({ model, pass_rate }) => model !== undefined || pass_rate.from !== undefined, {
    message: 'model, pass_rate.from or both',
  });
export type ProbeConfig = z.infer<typeof probeConfigSchema>;
