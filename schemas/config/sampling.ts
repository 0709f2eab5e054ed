import { z } from 'zod';
import { keyOf, type ModelUse, plainValues, positiveInt } from './keyMeaning.ts';

/** Request members set by the client itself. */
const ownMembers =
  'model messages prompt input stop stream n seed tools tool_choice response_format max_tokens max_completion_tokens'.split(
    ' ',
  );

const endpointDecides = "absent: the endpoint's default";

const chatKey = keyOf('chat' satisfies ModelUse);

/**
 * Sampling of a model, with the names used in the configuration, records and requests; absent values are left to the
 * endpoint. Server-specific settings, such as penalties, go through `extra_body`.
 */
export const samplingConfigSchema = z.strictObject({
  temperature: chatKey(z.number().min(0).max(2).optional(), `Sampling temperature; ${endpointDecides}`),
  top_p: chatKey(
    z.number().gt(0).max(1).optional(),
    `Nucleus sampling: share of the probability; ${endpointDecides}`,
  ),
  top_k: chatKey(
    z.int().min(-1).optional(),
    `Tokens that each one is chosen from, the likeliest; the paper's is 20; -1 or 0, as the server has it: all; OpenAI's own API refuses it; ${endpointDecides}`,
  ),
  max_tokens: chatKey(positiveInt.optional(), `Most tokens of one answer; ${endpointDecides}`),
  seed: chatKey(z.int().optional(), 'Seed that is sent with requests; absent: none is sent'),
  extra_body: chatKey(
    plainValues
      .refine((body) => !ownMembers.some((name) => Object.hasOwn(body, name)), {
        message: `members of the request's body other than ${ownMembers.join(', ')}, which requests set themselves`,
      })
      .optional(),
    'Further members of the body of requests, as the endpoint knows them, such as {"min_p": 0.05, "presence_penalty": 1.5}; absent: none',
  ),
});

export type SamplingConfig = z.infer<typeof samplingConfigSchema>;

/** Sampling as recorded. */
export const sentSamplingSchema = z.object(samplingConfigSchema.shape);
