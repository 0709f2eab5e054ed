import { z } from 'zod';
import { keyOf, plainValues, positiveInt } from './keyMeaning.ts';

/** Members of a request that the client answers for. */
const ownMembers =
  'model messages prompt input stop stream n seed tools tool_choice response_format max_tokens max_completion_tokens'.split(
    ' ',
  );

const endpointDecides = "absent: the endpoint's default";

/**
 * The sampling settings of a call, by their name in the configuration, in records and in a request's body. What only
 * some servers know, such as penalties, goes through `extra_body`.
 */
const samplingTable = {
  temperature: { schema: z.number().min(0).max(2), says: `Sampling temperature; ${endpointDecides}` },
  top_p: {
    schema: z.number().gt(0).max(1),
    says: `Nucleus sampling: share of the probability; ${endpointDecides}`,
  },
  top_k: {
    schema: z.int().min(-1),
    says: `Tokens that each one is chosen from, the likeliest; the paper's is 20; -1 or 0, as the server has it: all; OpenAI's own API refuses it; ${endpointDecides}`,
  },
  max_tokens: { schema: positiveInt, says: `Most tokens of one answer; ${endpointDecides}` },
  seed: { schema: z.int(), says: 'Seed that is sent with requests; absent: none is sent' },
  extra_body: {
    schema: plainValues.refine((body) => !ownMembers.some((name) => Object.hasOwn(body, name)), {
      message: `members of the request's body other than ${ownMembers.join(', ')}, which requests set themselves`,
    }),
    says: 'Further members of the body of requests, as the endpoint knows them, such as {"min_p": 0.05, "presence_penalty": 1.5}; absent: none',
  },
} as const;

type SamplingKey = keyof typeof samplingTable;
type SamplingShape = { [Key in SamplingKey]: z.ZodOptional<(typeof samplingTable)[Key]['schema']> };

function samplingShape(keyIt?: ReturnType<typeof keyOf>): SamplingShape {
  const keys = Object.entries(samplingTable).map(([key, { schema, says }]) => {
    const optional = schema.optional();
    return [key, keyIt ? keyIt(optional, says) : optional];
  });
  return Object.fromEntries(keys) as SamplingShape;
}

/** Sampling of a model whose answers shape some stages; what is absent is left to the endpoint. */
export function samplingSchemaOf(...stages: readonly string[]) {
  return z.strictObject(samplingShape(keyOf(...stages)));
}

/** How a model is sampled. */
export type SamplingConfig = z.infer<ReturnType<typeof samplingSchemaOf>>;

/** How a model was sampled, as records say it. */
export const sentSamplingSchema = z.object(samplingShape());
