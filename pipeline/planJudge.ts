import type { Config } from '../schemas/config/config.ts';
import { runAsksJudgeModel } from '../schemas/config/resolved/endpoints.ts';
import { sectionModel } from '../schemas/config/resolved/sectionModel.ts';
import { mostRollouts, rolloutPlan } from '../schemas/config/rollouts.ts';
import { prefersByJudge } from '../schemas/config/select.ts';
import type { Task } from '../schemas/task.ts';
import { tokenCostUsd } from '../schemas/tokenCost.ts';

/** What the judge's model would be asked at most, were every rollout converted and right. */
export interface PlannedJudge {
  readonly model: string;
  readonly model_calls: number;
  /** The same calls by what is asked: about answers, about instructions, which of several rollouts is the best. */
  readonly asked: { readonly answers: number; readonly instructions: number; readonly comparisons: number };
  /** Null where no price is known. */
  readonly cost_usd: number | null;
}

/** Tokens of an average call of the judge. For the estimate only. */
export const usualVerdictTokens = { prompt: 1_000, completion: 200 };

/** A judge that compares is asked in both orders. */
const ORDERS = 2;

/** Plans the calls of the judge's model task by task; undefined where it is not asked. */
export function planJudge(config: Config) {
  if (!runAsksJudgeModel(config)) return undefined;
  const { judge, select, teacher } = config;
  const { model, votes } = judge.model!;
  const rollouts = mostRollouts(rolloutPlan(teacher));
  const asked = { answers: 0, instructions: 0, comparisons: 0 };
  const { instructions } = judge;
  return {
    count({ domain, profile }: Pick<Task, 'domain' | 'profile'>): void {
      if (judge.text !== 'rule' && domain === 'qa') asked.answers += rollouts * votes;
      if (instructions && instructions.profiles?.includes(profile) !== false)
        asked.instructions += rollouts * votes;
      if (prefersByJudge(select) && rollouts > 1) asked.comparisons += ORDERS;
    },
    planned(): PlannedJudge {
      const model_calls = asked.answers + asked.instructions + asked.comparisons;
      return { model, model_calls, asked: { ...asked }, cost_usd: verdictCost(config, model_calls) };
    },
  };
}

/** What calls of the judge's model cost in US dollars; null where no price is known. */
export function verdictCost(config: Config, calls: number): number | null {
  const { prompt, completion } = usualVerdictTokens;
  const usage = { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: 0 };
  const price = sectionModel(config, 'judge.model')?.endpoint.price;
  return price ? calls * tokenCostUsd(usage, price) : null;
}
