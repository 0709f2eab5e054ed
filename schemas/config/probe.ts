import { z } from 'zod';
import { endpointSchemaOf } from './endpoint.ts';
import { keyOf, plainText } from './keyMeaning.ts';
import { passRateFromSchema } from './passRate.ts';
import { samplingSchemaOf } from './sampling.ts';

const probeKey = keyOf('probe');

/** The `probe` section: how difficult tasks are, measured before a teacher is paid. */
export const probeConfigSchema = z
  .strictObject({
    model: probeKey(
      plainText.optional(),
      'Name of the model that tries each task without tools, as the endpoint knows it; absent: nobody is asked',
    ),
    endpoint: endpointSchemaOf('probe').prefault({}).describe('Where the model is asked'),
    sampling: samplingSchemaOf('probe').prefault({}).describe('How its answers are sampled'),
    tries: probeKey(z.int().min(1).max(1_000).default(8), 'Times that the model is asked each question'),
    pass_rate: passRateFromSchema('all tasks are tried; those in the file are not', 'probe', 'filter')
      .prefault({})
      .describe('Share of right answers, measured before the teacher; tasks without a rate are kept'),
  })
  .refine(({ model, pass_rate }) => model !== undefined || pass_rate.from !== undefined, {
    message: 'model, pass_rate.from or both',
  });
export type ProbeConfig = z.infer<typeof probeConfigSchema>;
