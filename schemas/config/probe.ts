import { z } from 'zod';
import { endpointSchemaOf } from './endpoint.ts';
import { inputPath, keyOf, plainText, share } from './keyMeaning.ts';
import { samplingSchemaOf } from './sampling.ts';

const probeKey = keyOf('probe');
/** A narrower range is applied again to what a run has. */
const rangeKey = keyOf('probe', 'filter');

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
    results: probeKey(
      inputPath.optional(),
      "File of pass rates, a line {task_id or question, passed, samples} each, such as another run's probe/pass_rates.jsonl; the model is not asked about tasks in it",
    ),
    unrated: probeKey(
      z.enum(['keep', 'drop']).default('keep'),
      'Tasks that results does not name, where no model is asked',
    ),
    min_pass_rate: rangeKey(
      share.optional(),
      'Lowest share of right answers; tasks below are dropped as too_hard; absent: any',
    ),
    max_pass_rate: rangeKey(
      share.optional(),
      'Highest share of right answers; tasks above are dropped as too_easy; absent: any',
    ),
  })
  .refine(({ model, results }) => model !== undefined || results !== undefined, {
    message: 'model, results or both',
  })
  .refine(({ min_pass_rate = 0, max_pass_rate = 1 }) => min_pass_rate <= max_pass_rate, {
    path: ['min_pass_rate'],
    message: 'expected at most max_pass_rate',
  });
export type ProbeConfig = z.infer<typeof probeConfigSchema>;
