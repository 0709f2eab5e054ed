import type { Sampling } from '../../contract/chatModel.ts';

/** Each key of sampling, none with what an endpoint has as its default. */
export const everySampling = {
  temperature: 0.7,
  top_p: 0.9,
  top_k: 20,
  max_tokens: 4096,
  seed: 3,
  extra_body: { min_p: 0.05 },
} as const satisfies Required<Sampling>;
