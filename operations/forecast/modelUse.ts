import { z } from 'zod';
import { readEvents } from '../../pipeline/run/readEvents.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { EndpointConfig } from '../../schemas/config/endpoint.ts';
import { runAsksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import { sectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import { toolModelsOf } from '../../schemas/config/resolved/toolModels.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';

/** What models beside the teacher's took for one task. */
export interface ModelUse {
  readonly tokens: number;
  /** At the configuration's prices; undefined where one is not known. */
  readonly costUsd: number | undefined;
}

const callSchema = z.object({
  event: z.literal('model_call'),
  role: z.enum(['tool', 'probe', 'judge']),
  task_id: z.string(),
  model: z.string(),
  usage: usageSchema,
});

/**
 * What the models that tools asked took in a run, by task. Traces don't say it; the run's events do, for every call
 * that the cache did not answer.
 */
export function readToolModelUse(runFolder: string, config: Config): Promise<ReadonlyMap<string, ModelUse>> {
  const prices = new Map(toolModelsOf(config).map((asked) => [asked.model, asked.endpoint.price]));
  return readUse(runFolder, 'tool', (model) => prices.get(model));
}

/** As {@link readToolModelUse}, of the judge's model; of none where the configuration asks none. */
export async function readJudgeUse(
  runFolder: string,
  config: Config,
): Promise<ReadonlyMap<string, ModelUse>> {
  if (!runAsksJudgeModel(config)) return new Map();
  return readUse(runFolder, 'judge', () => sectionModel(config, 'judge.model')?.endpoint.price);
}

/** As {@link readToolModelUse}, of the model that probed tasks. */
export function readProbeUse(runFolder: string, config: Config): Promise<ReadonlyMap<string, ModelUse>> {
  return readUse(runFolder, 'probe', () => sectionModel(config, 'probe')?.endpoint.price);
}

async function readUse(
  runFolder: string,
  role: z.infer<typeof callSchema>['role'],
  priceOf: (model: string) => EndpointConfig['price'],
): Promise<ReadonlyMap<string, ModelUse>> {
  const use = new Map<string, ModelUse>();
  for await (const call of readEvents(runFolder, `"role":"${role}"`, callSchema))
    if (call.role === role) add(use, call, priceOf(call.model));
  return use;
}

function add(
  use: Map<string, ModelUse>,
  { task_id, usage }: z.infer<typeof callSchema>,
  price: EndpointConfig['price'],
): void {
  const before = use.get(task_id) ?? { tokens: 0, costUsd: 0 };
  const cost = price && tokenCostUsd(usage, price);
  use.set(task_id, {
    tokens: before.tokens + usage.prompt_tokens + usage.completion_tokens,
    costUsd: before.costUsd === undefined || cost === undefined ? undefined : before.costUsd + cost,
  });
}
