import { z } from 'zod';
import { endpointSchemaOf } from '../endpoint.ts';
import { keyOf, plainText } from '../keyMeaning.ts';
import { samplingSchemaOf } from '../sampling.ts';

/** A model that a tool asks, beside the teacher's: it reads pages or looks at images for an agent. */
export const toolModelConfigSchema = z.strictObject({
  model: keyOf('rollout')(plainText.min(1), 'Name of the model, as the endpoint knows it'),
  endpoint: endpointSchemaOf('rollout').prefault({}).describe('Where the model is asked'),
  sampling: samplingSchemaOf('rollout').prefault({}).describe('How its answers are sampled'),
});
