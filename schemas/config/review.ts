import { z } from 'zod';
import { keyOf } from './keyMeaning.ts';

/** The `review` section. */
export const reviewConfigSchema = z.strictObject({
  rule: keyOf('review')(
    z.enum(['any_reject', 'majority']).default('any_reject'),
    'When reviewers disagree. any_reject: one rejection, or one mark of a segment, is enough; majority: more than half of the reviewers of the record',
  ),
});
export type ReviewConfig = z.infer<typeof reviewConfigSchema>;
