import { z } from 'zod';
import { plainTextSchema, serviceUrlSchema, shapes, shapesNothing } from './keyMeaning.ts';

/** Limits that an address with a key has; `absent` says what holds without them. */
const limitsOf = (absent: string) => ({
  requests_per_minute: z
    .number()
    .positive()
    .optional()
    .meta(shapesNothing(`Most requests in any minute; absent: ${absent}`)),
  tokens_per_minute: z
    .number()
    .positive()
    .optional()
    .meta(
      shapesNothing(
        `Most prompt and answer tokens in any minute; an answer counts as max_tokens until it is there; absent: ${absent}`,
      ),
    ),
});
const concurrencySchema = z.int().positive();
const mostInFlight = 'Most requests in flight at once; fewer are sent while the endpoint refuses so many';

/** Another address or key that serves the same models, with limits of its own; what is absent is as for the endpoint. */
export const poolMemberConfigSchema = z.strictObject({
  base_url: serviceUrlSchema.optional().meta(shapesNothing("Address; absent: the endpoint's")),
  api_key_env: plainTextSchema
    .optional()
    .meta(shapesNothing("Environment variable that holds the key; absent: the endpoint's")),
  weight: z
    .number()
    .positive()
    .default(1)
    .meta(shapesNothing('Share of the requests, relative to the weights of the other members')),
  fallback: z
    .boolean()
    .default(false)
    .meta(shapesNothing('Whether it is asked only while no other member is healthy')),
  concurrency: concurrencySchema.optional().meta(shapesNothing(`${mostInFlight}; absent: the endpoint's`)),
  ...limitsOf("the endpoint's"),
});

const priceSchema = z.strictObject({
  input_usd_per_million: z.number().nonnegative().meta(shapesNothing('US dollars a million prompt tokens')),
  cached_input_usd_per_million: z
    .number()
    .nonnegative()
    .optional()
    .meta(
      shapesNothing(
        'US dollars a million prompt tokens that the endpoint had cached; absent: as input_usd_per_million',
      ),
    ),
  output_usd_per_million: z.number().nonnegative().meta(shapesNothing('US dollars a million answer tokens')),
});

/**
 * An OpenAI-compatible endpoint whose model's answers shape some stages. The key is named by its environment variable
 * and never written anywhere.
 */
export function endpointSchemaOf(...stages: readonly string[]) {
  const shapesThem = shapes(...stages);
  return z.strictObject({
    base_url: serviceUrlSchema
      .optional()
      .meta(
        shapesNothing(
          "Address of the API; absent: OPENAI_BASE_URL for the teacher, the teacher's address for other models",
        ),
      ),
    api_key_env: plainTextSchema
      .default('OPENAI_API_KEY')
      .meta(shapesNothing('Environment variable that holds the key; "" where none is needed')),
    timeout_s: z.number().positive().default(600).meta(shapesNothing('Seconds that one attempt may take')),
    max_retries: z
      .int()
      .nonnegative()
      .default(6)
      .meta(shapesNothing('Retries after status 408, 409, 429, 5xx and broken connections')),
    max_retry_wait_s: z
      .number()
      .positive()
      .default(120)
      .meta(shapesNothing('Longest Retry-After that is obeyed, in seconds')),
    concurrency: concurrencySchema.default(16).meta(shapesNothing(mostInFlight)),
    ...limitsOf('the limit is found by trying'),
    max_answer_bytes: z
      .int()
      .positive()
      .default(16 * 1024 * 1024)
      .meta(shapesNothing('Largest answer that is read, in bytes; a larger one fails the task')),
    weight: z
      .number()
      .positive()
      .default(1)
      .meta(shapesNothing('Its own share of the requests, relative to the weights in its pool')),
    pool: z
      .array(poolMemberConfigSchema)
      .default([])
      .describe('Further addresses or keys that serve the same models'),
    structured_answers: z
      .enum(['auto', 'openai_schema', 'llama_cpp_schema', 'json_object', 'text'])
      .default('auto')
      .meta(shapesThem('How answers of a given shape are asked for; auto: found by trying once')),
    tool_calls: z
      .enum(['auto', 'native', 'structured'])
      .default('auto')
      .meta(
        shapesThem('How tool calls are asked for; auto: native until the endpoint answers with plain text'),
      ),
    price: priceSchema.optional().describe('Prices, for costs and budgets; absent: costs count as 0'),
  });
}

/** An endpoint of the teacher. */
export const endpointConfigSchema = endpointSchemaOf('rollout');
export type EndpointConfig = z.infer<typeof endpointConfigSchema>;
