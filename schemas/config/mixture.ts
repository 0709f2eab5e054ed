import { z } from 'zod';
import { keyOf, plainText, positive } from './keyMeaning.ts';
import { modelKey } from './models.ts';

const rolloutKey = keyOf('rollout');

/** One member of a mixture of teachers. */
const mixtureMemberSchema = z.strictObject({
  name: rolloutKey(plainText.min(1), 'Name of the member, as rows and pass rates say it'),
  share: rolloutKey(positive.default(1), 'Share of the rollouts, relative to those of other members'),
  model: modelKey('chat', 'rollout')("Its model; absent: the teacher's").optional(),
});
export type MixtureMember = z.infer<typeof mixtureMemberSchema>;

/** `teacher.mixture`: shares of the rollouts by member. */
export const mixtureSchema = z
  .array(mixtureMemberSchema)
  .min(2)
  .refine((members) => new Set(members.map(({ name }) => name)).size === members.length, {
    message: 'expected another name for each member',
  })
  .optional()
  .describe(
    'Models and samplings that share the rollouts; which one makes a rollout depends on the id of the task and the number of the rollout alone; absent: all are made alike',
  );
