import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';

/** Written version of the Agent Data Protocol (neulab); older minor versions are read too. */
export const adpWrittenVersion = '1.2.0';

const action = { reasoning_content: z.string().nullish(), reward: z.number().nullish() };
const observation = { reward: z.number().nullish() };
const speaker = z.enum(['user', 'agent', 'environment']);

const imageSchema = z.strictObject({
  ...observation,
  class_: z.literal('image_observation').default('image_observation'),
  content: z.string(),
  annotations: z.array(jsonObjectSchema).nullish(),
  source: speaker,
});

const itemSchema = z.discriminatedUnion('class_', [
  z.strictObject({
    ...action,
    class_: z.literal('api_action'),
    function: z.string(),
    kwargs: jsonObjectSchema,
    description: z.string().nullish(),
  }),
  z.strictObject({
    ...action,
    class_: z.literal('code_action'),
    language: z.string().min(1),
    content: z.string(),
    description: z.string().nullish(),
  }),
  z.strictObject({
    ...action,
    class_: z.literal('message_action'),
    content: z.string(),
    description: z.string().nullish(),
  }),
  z.strictObject({
    ...observation,
    class_: z.literal('text_observation'),
    content: z.string(),
    name: z.string().nullish(),
    source: speaker,
  }),
  imageSchema,
  z.strictObject({
    ...observation,
    class_: z.literal('web_observation'),
    html: z.string().nullish(),
    axtree: z.string().nullish(),
    url: z.string().nullish(),
    image_observation: imageSchema.nullish(),
    viewport_size: z.tuple([z.int(), z.int()]).nullish(),
  }),
]);
export type AdpItem = z.infer<typeof itemSchema>;

/** A trajectory of the Agent Data Protocol. Unknown keys are errors; additions of a data set go into `details`. */
export const adpTrajectorySchema = z.strictObject({
  schema_version: z.enum(['1.0.0', '1.1.0', adpWrittenVersion]).default(adpWrittenVersion),
  id: z.string(),
  content: z.array(itemSchema),
  available_apis: z.array(z.string()).nullish(),
  details: jsonObjectSchema.default({}),
});
export type AdpTrajectory = z.infer<typeof adpTrajectorySchema>;
