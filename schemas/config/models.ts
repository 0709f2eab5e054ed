import { z } from 'zod';
import { endpointConfigSchema } from './endpoint.ts';
import { key, keyOf, type ModelUse, plainText } from './keyMeaning.ts';
import { samplingConfigSchema } from './sampling.ts';

const priceSchema = z.strictObject({
  input_usd_per_million: key(z.number().nonnegative(), 'US dollars a million prompt tokens'),
  cached_input_usd_per_million: key(
    z.number().nonnegative().optional(),
    'US dollars a million prompt tokens that the endpoint had cached; absent: as input_usd_per_million',
  ),
  output_usd_per_million: key(z.number().nonnegative(), 'US dollars a million answer tokens'),
});

/** A model: its name, endpoint, sampling and price. */
export const modelConfigSchema = z
  .strictObject({
    name: key(plainText.optional(), 'Name in messages; absent: that in models'),
    extends: key(
      plainText.optional(),
      'Model of models whose keys hold where this one has none; absent: none',
    ),
    model: keyOf(...(['chat', 'embeddings'] satisfies ModelUse[]))(
      plainText.min(1),
      'Name of the model, as the endpoint knows it',
    ),
    endpoint: endpointConfigSchema.prefault({}).describe('Where the model is asked'),
    sampling: samplingConfigSchema.prefault({}).describe('How answers are sampled; embeddings have none'),
    price: priceSchema.optional().describe('Prices, for costs and budgets; absent: costs count as 0'),
  })
  .meta({ id: 'model' });
export type ModelConfig = z.infer<typeof modelConfigSchema>;

/** A model's endpoint with its price. */
export type PricedEndpoint = ModelConfig['endpoint'] & Pick<ModelConfig, 'price'>;

/** The `models` section: models by names of the user's choice. */
export const modelsConfigSchema = z.record(
  z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,99}$/, 'a name is letters, digits, _ and -, the first a letter'),
  modelConfigSchema,
);

/** A key for a model that affects some stages: its name in `models`, or the model itself. */
export function modelKey(use: ModelUse, ...stages: readonly string[]) {
  return (description: string): typeof modelConfigSchema =>
    modelConfigSchema.meta({ description, shapes: stages, model: use });
}
