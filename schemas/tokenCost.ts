import type { Usage } from './chat.ts';
import type { ModelConfig } from './config/models.ts';

/** Cached prompt tokens reported by the endpoint, at most the prompt's tokens. */
export function cachedTokens({ cached_tokens, prompt_tokens }: Usage): number {
  return Math.min(cached_tokens, prompt_tokens);
}

/** Cost of a call in US dollars; 0 without a price. Cached tokens cost the input price unless they have their own. */
export function tokenCostUsd(usage: Usage, price: ModelConfig['price']): number {
  if (!price) return 0;
  const cachedPrice = price.cached_input_usd_per_million ?? price.input_usd_per_million;
  const cached = cachedTokens(usage);
  const perMillion =
    (usage.prompt_tokens - cached) * price.input_usd_per_million +
    cached * cachedPrice +
    usage.completion_tokens * price.output_usd_per_million;
  return perMillion / 1_000_000;
}
