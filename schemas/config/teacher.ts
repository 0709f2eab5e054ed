import { z } from 'zod';
import { roleSchema } from '../trace.ts';
import { inputPathSchema, plainTextSchema, serviceUrlSchema, shapes, shapesNothing } from './keyMeaning.ts';
import { playerConfigSchema } from './player.ts';
import { rolloutsConfigSchema } from './rollouts.ts';
import { teacherBackendNames } from './teacherBackends.ts';

const share = z.number().min(0).max(1);
const shapesRollout = shapes('rollout');

/** Sampling of a model whose answers shape some stages; what is absent is left to the endpoint. */
export function samplingSchemaOf(...stages: readonly string[]) {
  const shapesThem = shapes(...stages);
  return z.strictObject({
    temperature: z
      .number()
      .min(0)
      .max(2)
      .optional()
      .meta(shapesThem("Sampling temperature; absent: the endpoint's default")),
    top_p: z
      .number()
      .gt(0)
      .max(1)
      .optional()
      .meta(shapesThem("Nucleus sampling: share of the probability; absent: the endpoint's default")),
    max_tokens: z
      .int()
      .positive()
      .optional()
      .meta(shapesThem("Most tokens of one answer; absent: the endpoint's default")),
    seed: z.int().optional().meta(shapesThem('Seed that is sent with requests; absent: none is sent')),
  });
}

/** How a model is sampled. */
export type SamplingConfig = z.infer<ReturnType<typeof samplingSchemaOf>>;

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
/** A member of an endpoint's pool. */
export type PoolMemberConfig = z.infer<typeof poolMemberConfigSchema>;

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
/** An OpenAI-compatible endpoint. */
export type EndpointConfig = z.infer<typeof endpointConfigSchema>;

/** What one role does otherwise than the teacher as a whole. */
export const roleConfigSchema = z.strictObject({
  model: plainTextSchema.optional().meta(shapesRollout("Model of the role; absent: the teacher's")),
  endpoint: endpointConfigSchema.optional().describe("Endpoint of the role; absent: the teacher's"),
  sampling: samplingSchemaOf('rollout').optional().describe("Sampling of the role; absent: the teacher's"),
});

const rate = (flaw: string) => share.default(0).meta(shapesRollout(`Share of the tasks with ${flaw}`));
/** A flaw that was added later: its rate is absent where not set, so that the settings of earlier runs stay the same. */
const laterRate = (flaw: string) =>
  share.optional().meta(shapesRollout(`Share of the tasks with ${flaw}; absent: 0`));

/** Seeded rates at which the answer-key teacher plants flaws; each task gets at most one. */
export const plantedRatesSchema = z.strictObject({
  wrong_answer: rate('a wrong answer'),
  redundant_query: rate('a tool input that is sent twice'),
  too_few_interactions: rate('fewer tool calls than the profile asks for'),
  missing_reflection: rate('no reflection'),
  corrected_double_check: rate('a wrong first answer that a double check corrects'),
  malformed_json: rate('malformed JSON at every ask: the task fails'),
  malformed_json_once: rate('malformed JSON that is right when asked again'),
  refusal: rate('a refusal'),
  tag_in_text: rate('a tag of the language within text'),
  hanging_code: rate('a program that never ends, then a good one'),
  near_redundant_query: laterRate('a tool input that is nearly equal to an earlier one'),
  secret_in_observation: laterRate('a program that prints a key and an e-mail address'),
  foreign_language: laterRate('thoughts and plans in French'),
  rambling: laterRate('a plan of about 10,000 tokens'),
  repeated_thought: laterRate('a last thought that repeats an earlier one (lint rule duplicate_block)'),
  talk_to_grader: laterRate('a plea to the grader before the answer, against the instructions'),
});
/** Rates of planted flaws, by name. */
export type PlantedRates = z.infer<typeof plantedRatesSchema>;

/** The `teacher` section. */
export const teacherConfigSchema = z.strictObject({
  backend: z
    .enum(teacherBackendNames)
    .default('openai')
    .meta(
      shapesRollout(
        'openai: a team of agents at any OpenAI-compatible endpoint; coa_model: one CoA model that plays all of them (docs/student.md); the others start a scripted server on the loopback',
      ),
    ),
  model: plainTextSchema
    .default('scripted-teacher')
    .meta(shapesRollout('Name of the model, as the endpoint knows it')),
  endpoint: endpointConfigSchema.prefault({}).describe('Where the model is asked'),
  sampling: samplingSchemaOf('rollout').prefault({}).describe('How answers are sampled'),
  roles: z
    .partialRecord(roleSchema, roleConfigSchema)
    .prefault({})
    .describe('Model, endpoint or sampling of single roles'),
  rollouts: rolloutsConfigSchema,
  script: inputPathSchema
    .optional()
    .meta(shapesRollout('Script of the scripted teacher (JSONL); only backend scripted reads it')),
  player: playerConfigSchema.optional().describe('How a CoA model plays; only backend coa_model reads it'),
  planted: plantedRatesSchema.prefault({}).describe('Flaws that the answer-key teacher plants'),
  max_asks: z
    .int()
    .positive()
    .default(3)
    .meta(
      shapesRollout(
        'Asks for one usable answer before the task fails as malformed_answer, answer_truncated or model_refused',
      ),
    ),
  concurrency: z
    .int()
    .positive()
    .optional()
    .meta(shapesNothing('Tasks worked on at once; absent: as many as keep the endpoints busy')),
  budget: z
    .strictObject({
      max_steps: z
        .int()
        .positive()
        .default(36)
        .meta(
          shapesRollout(
            'Most actions of one task; of a CoA model most steps, each up to a tool call or the answer',
          ),
        ),
      max_tokens: z
        .int()
        .positive()
        .default(2_000_000)
        .meta(shapesRollout('Most prompt and completion tokens of one task')),
      max_seconds: z.number().positive().default(3600).meta(shapesRollout('Most seconds of one task')),
    })
    .prefault({})
    .describe('Limits of one task; a task that reaches one fails'),
});
/** How tasks are solved. */
export type TeacherConfig = z.infer<typeof teacherConfigSchema>;
