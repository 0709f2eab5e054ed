import { z } from 'zod';
import { endpointSchemaOf } from './endpoint.ts';
import { besideWrongValues, inputPathSchema, plainTextSchema, shapes } from './keyMeaning.ts';
import { samplingSchemaOf } from './sampling.ts';

const shapesProbe = shapes('probe');
/** A narrower range is applied again to what a run has. */
const shapesRange = shapes('probe', 'filter');
const rate = z.number().min(0).max(1);

/** The `probe` section: how difficult tasks are, measured before a teacher is paid. */
export const probeConfigSchema = z
  .strictObject({
    model: plainTextSchema
      .optional()
      .meta(
        shapesProbe(
          'Name of the model that tries each task without tools, as the endpoint knows it; absent: nobody is asked',
        ),
      ),
    endpoint: endpointSchemaOf('probe').prefault({}).describe('Where the model is asked'),
    sampling: samplingSchemaOf('probe').prefault({}).describe('How its answers are sampled'),
    tries: z
      .int()
      .min(1)
      .max(1_000)
      .default(8)
      .meta(shapesProbe('Times that the model is asked each question')),
    results: inputPathSchema
      .optional()
      .meta(
        shapesProbe(
          "File of pass rates, a line {task_id or question, passed, samples} each, such as another run's probe/pass_rates.jsonl; the model is not asked about tasks in it",
        ),
      ),
    unrated: z
      .enum(['keep', 'drop'])
      .default('keep')
      .meta(shapesProbe('Tasks that results does not name, where no model is asked')),
    min_pass_rate: rate
      .optional()
      .meta(shapesRange('Lowest share of right answers; tasks below are dropped as too_hard; absent: any')),
    max_pass_rate: rate
      .optional()
      .meta(shapesRange('Highest share of right answers; tasks above are dropped as too_easy; absent: any')),
  })
  .refine(({ model, results }) => model !== undefined || results !== undefined, {
    message: 'model, results or both',
    ...besideWrongValues,
  })
  .refine(({ min_pass_rate = 0, max_pass_rate = 1 }) => min_pass_rate <= max_pass_rate, {
    path: ['min_pass_rate'],
    message: 'expected at most max_pass_rate',
    ...besideWrongValues,
  });
export type ProbeConfig = z.infer<typeof probeConfigSchema>;
