import { z } from 'zod';
import { knownPrice } from '../../calls/budget/priceOf.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import { toolModelsOf } from '../../schemas/config/resolved/toolModels.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { readEvents } from '../readEvents.ts';

/** What the models of tools took for one task. */
export interface ToolModelUse {
  readonly tokens: number;
  /** At the configuration's prices; undefined where one is not known. */
  readonly costUsd: number | undefined;
}

const toolCallSchema = z.object({
  event: z.literal('model_call'),
  role: z.literal('tool'),
  task_id: z.string(),
  model: z.string(),
  usage: usageSchema,
});

/**
 * What the models that tools asked took in a run, by task. Traces don't say it; the run's events do, for every call
 * that the cache did not answer.
 */
export async function readToolModelUse(
  runFolder: string,
  config: Config,
): Promise<ReadonlyMap<string, ToolModelUse>> {
  const use = new Map<string, ToolModelUse>();
  const prices = new Map(toolModelsOf(config).map((asked) => [asked.model, knownPrice(asked)]));
  for await (const call of readEvents(runFolder, '"role":"tool"', toolCallSchema))
    add(use, call, prices.get(call.model));
  return use;
}

function add(
  use: Map<string, ToolModelUse>,
  { task_id, usage }: z.infer<typeof toolCallSchema>,
  price: ReturnType<typeof knownPrice>,
): void {
  const before = use.get(task_id) ?? { tokens: 0, costUsd: 0 };
  const cost = price && tokenCostUsd(usage, price);
  use.set(task_id, {
    tokens: before.tokens + usage.prompt_tokens + usage.completion_tokens,
    costUsd: before.costUsd === undefined || cost === undefined ? undefined : before.costUsd + cost,
  });
}
