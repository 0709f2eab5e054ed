import { z } from 'zod';
import { keyOf } from './keyMeaning.ts';

/** The `review` section. */
export const reviewConfigSchema = z.strictObject({
  rule: keyOf('review')(
    z.enum(['any_reject', 'majority']).default('any_reject'),
    'When reviewers disagree. any_reject: one rejection is enough; majority: more than half of those who gave a verdict must reject the record',
  ),
});
export type ReviewConfig = z.infer<typeof reviewConfigSchema>;
