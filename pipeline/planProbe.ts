import type { Config } from '../schemas/config/config.ts';
import { sectionModel } from '../schemas/config/resolved/sectionModel.ts';
import type { Task } from '../schemas/task.ts';
import { tokenCostUsd } from '../schemas/tokenCost.ts';
import { readPassRates } from '../stages/filter/passRates.ts';
import { outOfRange } from '../stages/judge/createProbeStage.ts';

/** What probing the tasks of a run would take. */
export interface PlannedProbe {
  /** Null where nobody is asked. */
  readonly model: string | null;
  /** Tasks that it is asked about; how many of them stay is not known. */
  readonly tasks: number;
  readonly model_calls: number;
  /** Null where no price is known. */
  readonly cost_usd: number | null;
  /** Tasks that the results at hand leave out. */
  readonly dropped: number;
}

/** Tokens of an average try without tools. For the estimate only. */
export const usualTryTokens = { prompt: 250, completion: 1_000 };

/** Plans the probe task by task; undefined without one. */
export async function planProbe(config: Config) {
  const { probe } = config;
  if (!probe) return undefined;
  const { model, tries, results, unrated } = probe;
  const rates = results === undefined ? undefined : await readPassRates(results, { key: 'probe.results' });
  let [tasks, dropped] = [0, 0];
  const staysOut = ({ id, question }: Task): boolean => {
    const known = rates?.countsOf({ task_id: id, question });
    if (known && known.samples > 0) return outOfRange({ ...known, unscored: 0 }, probe) !== undefined;
    if (model !== undefined) tasks++;
    return model === undefined && unrated === 'drop';
  };
  return {
    letsThrough(task: Task): boolean {
      const isOut = staysOut(task);
      if (isOut) dropped++;
      return !isOut;
    },
    planned(): PlannedProbe {
      const model_calls = tasks * tries;
      const usage = {
        prompt_tokens: usualTryTokens.prompt,
        completion_tokens: usualTryTokens.completion,
        cached_tokens: 0,
      };
      const price = sectionModel(config, 'probe')?.endpoint.price;
      const cost_usd = price ? model_calls * tokenCostUsd(usage, price) : model === undefined ? 0 : null;
      return { model: model ?? null, tasks, model_calls, cost_usd, dropped };
    },
  };
}
