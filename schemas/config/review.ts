import { z } from 'zod';
import { shapes } from './keyMeaning.ts';

/** The `review` section. */
export const reviewConfigSchema = z.strictObject({
  rule: z
    .enum(['any_reject', 'majority'])
    .default('any_reject')
    .meta(
      shapes('review')(
        'When reviewers disagree. any_reject: one rejection, or one mark of a segment, is enough; majority: more than half of the reviewers of the record',
      ),
    ),
});
export type ReviewConfig = z.infer<typeof reviewConfigSchema>;
