import { z } from 'zod';
import { roleSchema } from '../trace.ts';
import { configPathSchema } from './paths.ts';
import { serviceUrlSchema } from './serviceUrl.ts';
import { teacherBackendNames } from './teacherBackends.ts';

const share = z.number().min(0).max(1);
const rate = share.default(0);

/** Sampling settings; absent ones are left to the endpoint. */
export const samplingConfigSchema = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().gt(0).max(1).optional(),
  max_tokens: z.int().positive().optional().describe('Most tokens of one answer'),
  seed: z.int().optional(),
});

const requestsPerMinuteSchema = z
  .number()
  .positive()
  .describe('Never passed in any minute; without it, what the endpoint bears is found out');
const tokensPerMinuteSchema = z
  .number()
  .positive()
  .describe('Prompt and answer; the answer is reckoned as max_tokens until it is there');
const concurrencySchema = z
  .int()
  .positive()
  .describe('Most requests in flight at once; fewer while the endpoint refuses so many');

/** Another address or key that serves the same models, with limits of its own; what is absent is as for the endpoint. */
export const poolMemberConfigSchema = z.strictObject({
  base_url: serviceUrlSchema.optional(),
  api_key_env: z.string().optional(),
  weight: z
    .number()
    .positive()
    .default(1)
    .describe('Share of the requests, beside the weights of the others'),
  fallback: z.boolean().default(false).describe('Asked only while no other member is healthy'),
  concurrency: concurrencySchema.optional(),
  requests_per_minute: requestsPerMinuteSchema.optional(),
  tokens_per_minute: tokensPerMinuteSchema.optional(),
});
/** See {@link poolMemberConfigSchema}. */
export type PoolMemberConfig = z.infer<typeof poolMemberConfigSchema>;

/** An OpenAI-compatible endpoint. The key is named by its environment variable and never written anywhere. */
export const endpointConfigSchema = z.strictObject({
  base_url: serviceUrlSchema.optional().describe('Default: OPENAI_BASE_URL'),
  api_key_env: z
    .string()
    .default('OPENAI_API_KEY')
    .describe('Environment variable that holds the key; "" when none is needed'),
  timeout_s: z.number().positive().default(600).describe('For one attempt'),
  max_retries: z.int().nonnegative().default(6).describe('For 408, 409, 429, 5xx and broken connections'),
  max_retry_wait_s: z
    .number()
    .positive()
    .default(120)
    .describe('Longest wait that Retry-After is obeyed for'),
  concurrency: concurrencySchema.default(16),
  requests_per_minute: requestsPerMinuteSchema.optional(),
  tokens_per_minute: tokensPerMinuteSchema.optional(),
  max_answer_bytes: z
    .int()
    .positive()
    .default(16 * 1024 * 1024)
    .describe('Largest answer that is read; a larger one fails the task'),
  weight: z.number().positive().default(1).describe('Its own share of the requests in its pool'),
  pool: z
    .array(poolMemberConfigSchema)
    .default([])
    .describe('Further addresses or keys that serve the same models'),
  structured_answers: z
    .enum(['auto', 'openai_schema', 'llama_cpp_schema', 'json_object', 'text'])
    .default('auto')
    .describe('How answers of a given shape are asked for; auto finds out once and remembers'),
  tool_calls: z
    .enum(['auto', 'native', 'structured'])
    .default('auto')
    .describe('auto: native until the endpoint answers with plain text'),
  price: z
    .strictObject({
      input_usd_per_million: z.number().nonnegative(),
      cached_input_usd_per_million: z.number().nonnegative().optional(),
      output_usd_per_million: z.number().nonnegative(),
    })
    .optional()
    .describe('For the cost figures; without it cost is reported as 0'),
});
/** See {@link endpointConfigSchema}. */
export type EndpointConfig = z.infer<typeof endpointConfigSchema>;

/** What one role does otherwise than the teacher as a whole. */
export const roleConfigSchema = z.strictObject({
  model: z.string().optional(),
  endpoint: endpointConfigSchema.optional(),
  sampling: samplingConfigSchema.optional(),
});

/** Of flaws that were added later: absent where not set, so that the settings of earlier runs are what they were. */
const laterRate = share.optional();

/** Seeded rates at which the answer-key teacher plants flaws; each task gets at most one. */
export const plantedRatesSchema = z.strictObject({
  wrong_answer: rate,
  redundant_query: rate,
  too_few_interactions: rate,
  missing_reflection: rate,
  corrected_double_check: rate,
  malformed_json: rate.describe('Never recovers: the task fails'),
  malformed_json_once: rate.describe('Recovers when asked again'),
  refusal: rate,
  tag_in_text: rate,
  hanging_code: rate.describe('A program that never ends, then a good one'),
  near_redundant_query: laterRate.describe('A tool input that is nearly equal to an earlier one'),
  secret_in_observation: laterRate.describe('A program that prints a key and an e-mail address'),
  foreign_language: laterRate.describe('Thinks and plans in French'),
  rambling: laterRate.describe('A plan of about 10,000 tokens'),
  repeated_thought: laterRate.describe(
    'The last thought is one that was had before: lint rule duplicate_block',
  ),
  talk_to_grader: laterRate.describe('Asks its grader for mercy before the answer, against its instructions'),
});
/** See {@link plantedRatesSchema}. */
export type PlantedRates = z.infer<typeof plantedRatesSchema>;

/** The `teacher` section. */
export const teacherConfigSchema = z.strictObject({
  backend: z
    .enum(teacherBackendNames)
    .default('openai')
    .describe('openai: any OpenAI-compatible endpoint; the others start a scripted server on the loopback'),
  model: z.string().default('scripted-teacher'),
  endpoint: endpointConfigSchema.prefault({}),
  sampling: samplingConfigSchema.prefault({}),
  roles: z
    .partialRecord(roleSchema, roleConfigSchema)
    .prefault({})
    .describe('Own model, endpoint or sampling of a role'),
  script: configPathSchema.optional().describe('Script of the scripted teacher (JSONL)'),
  planted: plantedRatesSchema.prefault({}).describe('Flaws that the answer-key teacher plants'),
  max_asks: z
    .int()
    .positive()
    .default(3)
    .describe('Asks for one structured answer before the task fails as malformed_answer'),
  concurrency: z
    .int()
    .positive()
    .optional()
    .describe('Tasks worked on at once; default: as many as keep the endpoints busy'),
  budget: z
    .strictObject({
      max_steps: z.int().positive().default(36).describe('Actions a task'),
      max_tokens: z.int().positive().default(2_000_000).describe('Prompt and completion tokens a task'),
      max_seconds: z.number().positive().default(3600),
    })
    .prefault({}),
});
/** See {@link teacherConfigSchema}. */
export type TeacherConfig = z.infer<typeof teacherConfigSchema>;
