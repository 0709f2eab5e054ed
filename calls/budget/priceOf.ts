import type { Config } from '../../schemas/config/config.ts';
import {
  type ComparedSection,
  embeddingEndpointOf,
  endpointOf,
  judgeEndpointOf,
  type ResolvedEndpoint,
} from '../../schemas/config/resolved/endpoints.ts';
import type { EndpointConfig } from '../../schemas/config/teacher.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import type { Role } from '../../schemas/trace.ts';
import { listedPrice } from './listedPrices.ts';

/** The model that a role asks. */
export function modelOf(config: Config, role: Role): string {
  return config.teacher.roles[role]?.model ?? config.teacher.model;
}

/** What a role's model costs: the configured price, otherwise the one listed for it; undefined where none is known. */
export function priceOf(config: Config, role: Role): EndpointConfig['price'] {
  const { price, base_url } = endpointOf(config, role);
  if (price || !asksEndpoint(config.teacher)) return price;
  return listedPrice(base_url, modelOf(config, role));
}

/** What a section's embeddings cost, as with {@link priceOf}. */
export function embeddingPriceOf(config: Config, section: ComparedSection): EndpointConfig['price'] {
  const endpoint = embeddingEndpointOf(config, section);
  const model = config.dedup?.[section]?.semantic?.model;
  return endpoint && model !== undefined ? knownPrice({ endpoint, model }) : undefined;
}

/** What the judge's model costs, as with {@link priceOf}. */
export function judgePriceOf(config: Config): EndpointConfig['price'] {
  const endpoint = judgeEndpointOf(config);
  return endpoint && knownPrice({ endpoint, model: config.judge.model!.model });
}

/** What a model at an endpoint costs: the configured price, otherwise the one listed for it. */
export function knownPrice({
  endpoint,
  model,
}: {
  readonly endpoint: ResolvedEndpoint;
  readonly model: string;
}): EndpointConfig['price'] {
  return endpoint.price ?? listedPrice(endpoint.base_url, model);
}
