import type { ModelConfig } from '../models.ts';

/** A price of the list, in US dollars for a million tokens. */
type ListedPrice = NonNullable<ModelConfig['price']>;

/**
 * Prices of OpenAI's standard tier on 2026-11-21, as three public price lists that name developers.openai.com/api/docs/pricing give
 * them alike; not compared with a bill. Models whose price depends on the hour or on the prompt's length are left out:
 * no single price would keep a cap. Prices of other providers, of other tiers and newer ones belong into
 * a model's `price`, which wins.
 */
const openAi: Readonly<Record<string, ListedPrice>> = {
  'gpt-4o': price(2.5, 1.25, 10),
  'gpt-4o-mini': price(0.15, 0.075, 0.6),
  'gpt-4.1': price(2, 0.5, 8),
  'gpt-4.1-mini': price(0.4, 0.1, 1.6),
  'gpt-4.1-nano': price(0.1, 0.025, 0.4),
  'gpt-5': price(1.25, 0.125, 10),
  'gpt-5-mini': price(0.25, 0.025, 2),
  'gpt-5-nano': price(0.05, 0.005, 0.4),
  'gpt-5.1': price(1.25, 0.125, 10),
  'gpt-5.2': price(1.75, 0.175, 14),
  o3: price(2, 0.5, 8),
  'o3-mini': price(1.1, 0.55, 4.4),
  'o4-mini': price(1.1, 0.275, 4.4),
};

/** The day that OpenAI puts behind the name of a model's snapshot; its price is the model's. */
const snapshotDay = /-20\d\d-\d\d-\d\d$/;

/**
 * The listed price of a model at its provider's own address; undefined where none is listed. The same model behind
 * another address may cost anything.
 */
export function listedPrice(baseUrl: string, model: string): ListedPrice | undefined {
  const name = model.replace(snapshotDay, '');
  const isListed = new URL(baseUrl).hostname === 'api.openai.com' && Object.hasOwn(openAi, name);
  return isListed ? openAi[name] : undefined;
}

function price(input: number, cachedInput: number, output: number): ListedPrice {
  return {
    input_usd_per_million: input,
    cached_input_usd_per_million: cachedInput,
    output_usd_per_million: output,
  };
}
