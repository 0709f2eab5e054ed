import { z } from 'zod';
import {
  key,
  keyOf,
  type ModelUse,
  plainText,
  positive,
  positiveInt,
  serviceUrl,
  wholeNumber,
} from './keyMeaning.ts';

/** Limits of an address and key; `absent` describes the default. */
const limitsOf = (absent: string) => ({
  requests_per_minute: key(positive.optional(), `Most requests in any minute; absent: ${absent}`),
  tokens_per_minute: key(
    positive.optional(),
    `Most prompt and answer tokens in any minute; an answer counts as max_tokens until it is there; absent: ${absent}`,
  ),
});
const mostInFlight = 'Maximum requests in flight; lowered while the endpoint refuses half of them';

/** Another address or key for the same models, with its own limits; defaults are the endpoint's. */
const poolMemberConfigSchema = z.strictObject({
  base_url: key(serviceUrl.optional(), "Address; absent: the endpoint's"),
  api_key_env: key(plainText.optional(), "Environment variable that holds the key; absent: the endpoint's"),
  weight: key(positive.default(1), 'Share of the requests, relative to the weights of the other members'),
  fallback: key(z.boolean().default(false), 'Whether it is asked only while no other member is healthy'),
  concurrency: key(positiveInt.optional(), `${mostInFlight}; absent: the endpoint's`),
  ...limitsOf("the endpoint's"),
});

/** Keys that affect the answers of a chat. */
const chatKey = keyOf('chat' satisfies ModelUse);

/**
 * An OpenAI-compatible endpoint. The key is named by its environment variable and never written anywhere.
 */
export const endpointConfigSchema = z.strictObject({
  base_url: key(
    serviceUrl.optional(),
    "Address of the API; absent: OPENAI_BASE_URL for the teacher, the teacher's address for other models",
  ),
  api_key_env: key(
    plainText.default('OPENAI_API_KEY'),
    'Environment variable that holds the key; "" where none is needed',
  ),
  timeout_s: key(
    positive.default(600),
    'Seconds that one attempt may take, from when it is sent: waiting for a slot of ours does not count',
  ),
  max_retries: key(wholeNumber.default(6), 'Retries after status 408, 409, 429, 5xx, broken connections'),
  concurrency: key(
    positiveInt.optional(),
    `${mostInFlight}; absent: the slots that a llama-server of the teacher says it has, otherwise 16`,
  ),
  ...limitsOf('the limit is found by trying'),
  weight: key(positive.default(1), 'Its own share of the requests, relative to the weights in its pool'),
  pool: z
    .array(poolMemberConfigSchema)
    .default([])
    .describe('Further addresses or keys that serve the same models'),
  structured_answers: chatKey(
    z.enum(['auto', 'openai_schema', 'llama_cpp_schema', 'json_object', 'text']).default('auto'),
    'How answers of a given shape are asked for; auto: found by trying once',
  ),
  schema_in_prompt: chatKey(
    z.boolean().optional(),
    "Whether the endpoint puts an answer's schema in front of the prompt that it caches: a team's merged turns then all send the same one, of every action; answers with one that is not allowed are asked again. Absent: true for api.openai.com",
  ),
  tool_calls: chatKey(
    z.enum(['auto', 'native', 'structured']).default('auto'),
    'How tool calls are asked for; auto: native until the endpoint answers with plain text',
  ),
  cache_control: key(
    z.boolean().default(false),
    "Whether prompts are marked where the endpoint is to cache them, as Anthropic's models want it, also through OpenRouter and LiteLLM; others cache without, and some refuse the marks",
  ),
});
export type EndpointConfig = z.infer<typeof endpointConfigSchema>;

/** Default concurrency if neither the configuration nor the server states one. */
const USUAL_CONCURRENCY = 16;

/** Configured maximum of concurrent requests. */
export function concurrencyOf({ concurrency }: Pick<EndpointConfig, 'concurrency'>): number {
  return concurrency ?? USUAL_CONCURRENCY;
}
