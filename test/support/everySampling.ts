import type { Sampling } from '../../contract/chatModel.ts';

/** Each key of sampling, none with what an endpoint has as its default. */
export const everySampling = {
  temperature: 0.7,
  top_p: 0.9,
  top_k: 20,
  min_p: 0.05,
  presence_penalty: 0.5,
  frequency_penalty: -0.5,
  repetition_penalty: 1.1,
  max_tokens: 4096,
  seed: 3,
  extra_body: { typical_p: 0.8 },
} as const satisfies Required<Sampling>;
