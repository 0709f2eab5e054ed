import { z } from 'zod';
import { endpointConfigSchema, samplingConfigSchema } from '../teacher.ts';

/** A model that a tool asks, beside the teacher's: it reads pages or looks at images for an agent. */
export const toolModelConfigSchema = z.strictObject({
  model: z.string().min(1).describe('Its name, as the endpoint knows it'),
  endpoint: endpointConfigSchema.prefault({}).describe("Without base_url: the teacher's address"),
  sampling: samplingConfigSchema.prefault({}),
});
/** See {@link toolModelConfigSchema}. */
export type ToolModelConfig = z.infer<typeof toolModelConfigSchema>;

/** A model that a tool asks for embeddings. */
export const toolEmbeddingsConfigSchema = toolModelConfigSchema.omit({ sampling: true });
/** See {@link toolEmbeddingsConfigSchema}. */
export type ToolEmbeddingsConfig = z.infer<typeof toolEmbeddingsConfigSchema>;
