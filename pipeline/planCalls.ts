import type { Config } from '../schemas/config/config.ts';
import type { ModelConfig } from '../schemas/config/models.ts';
import { runAsksJudgeModel } from '../schemas/config/resolved/endpoints.ts';
import { sectionModel } from '../schemas/config/resolved/sectionModel.ts';
import { mostRollouts, rolloutPlan } from '../schemas/config/rollouts.ts';
import { prefersByJudge } from '../schemas/config/select.ts';
import type { TeacherConfig } from '../schemas/config/teacher.ts';
import { playsAlone } from '../schemas/config/teacherBackends.ts';
import type { Task } from '../schemas/task.ts';
import { tokenCostUsd } from '../schemas/tokenCost.ts';
import { readPassRates } from '../stages/filter/passRates.ts';
import { outOfRange } from '../stages/judge/createProbeStage.ts';

/**
 * Tokens of an average call, for estimates only: of the teacher (a transcript that grows with each step, and one agent's
 * answer), of the judge, of a probe's try without tools.
 */
export const usualTokens = {
  teacher: { prompt: 3_000, completion: 300 },
  judge: { prompt: 1_000, completion: 200 },
  probe: { prompt: 250, completion: 1_000 },
};

/** What usual calls cost in US dollars; null where no price is known. */
export function usualCost(
  of: keyof typeof usualTokens,
  calls: number,
  price: ModelConfig['price'],
): number | null {
  const { prompt, completion } = usualTokens[of];
  const usage = { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: 0 };
  return price ? calls * tokenCostUsd(usage, price) : null;
}

/** What the judge's model would be asked at most, were every rollout converted and right. */
export interface PlannedJudge {
  readonly model: string;
  readonly model_calls: number;
  /** The same calls by what is asked: about answers, about instructions, which of several rollouts is the best. */
  readonly asked: { readonly answers: number; readonly instructions: number; readonly comparisons: number };
  /** Null where no price is known. */
  readonly cost_usd: number | null;
}

/** A judge that compares is asked in both orders. */
const ORDERS = 2;

/** Plans the calls of the judge's model task by task; undefined where it is not asked. */
export function planJudge(config: Config) {
  if (!runAsksJudgeModel(config)) return undefined;
  const { judge, select, teacher } = config;
  const { votes } = judge;
  const { model } = judge.model!;
  const rollouts = mostRollouts(rolloutPlan(teacher));
  const asked = { answers: 0, instructions: 0, comparisons: 0 };
  return {
    count({ domain, profile }: Pick<Task, 'domain' | 'profile'>): void {
      if (judge.text !== 'rule' && domain === 'qa') asked.answers += rollouts * votes;
      if (judge.instructions && judge.instructions.profiles?.includes(profile) !== false)
        asked.instructions += rollouts * votes;
      if (prefersByJudge(select) && rollouts > 1) asked.comparisons += ORDERS;
    },
    planned(): PlannedJudge {
      const model_calls = asked.answers + asked.instructions + asked.comparisons;
      return { model, model_calls, asked, cost_usd: judgeCost(config, model_calls) };
    },
  };
}

/** What calls of the judge's model cost in US dollars; null where no price is known. */
export function judgeCost(config: Config, calls: number): number | null {
  return usualCost('judge', calls, sectionModel(config, 'judge.model')?.endpoint.price);
}

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

/** Plans the probe task by task; undefined without one. */
export async function planProbe(config: Config) {
  const { probe } = config;
  if (!probe) return undefined;
  const { tries, pass_rate } = probe;
  const model = probe.model?.model ?? null;
  const rates =
    pass_rate.from === undefined ? undefined : await readPassRates(pass_rate.from, 'probe.pass_rate.from');
  let [tasks, dropped] = [0, 0];
  const staysOut = ({ id, question }: Task): boolean => {
    const known = rates?.countsOf({ task_id: id, question });
    if (known && known.samples > 0) return outOfRange({ ...known, unscored: 0 }, probe) !== undefined;
    if (model !== null) tasks++;
    return false;
  };
  return {
    letsThrough(task: Task): boolean {
      const isOut = staysOut(task);
      if (isOut) dropped++;
      return !isOut;
    },
    planned(): PlannedProbe {
      const model_calls = tasks * tries;
      const price = sectionModel(config, 'probe.model')?.endpoint.price;
      const cost_usd = model === null ? 0 : usualCost('probe', model_calls, price);
      return { model, tasks, model_calls, cost_usd, dropped };
    },
  };
}

interface ExpectedCalls {
  readonly model: number;
  readonly tool: number;
}

/** The actions of a task, and what of them. */
interface UsualActions {
  readonly actions: number;
  /** Actions that were picked from several. */
  readonly picked: number;
  readonly tools: number;
}

/**
 * A task that goes straight to its end, by profile: as many tools as usual (agent-tool interactions of the paper's
 * trajectories, rounded: web 7.29, multi-hop 4.35, code 7.0), with a plan, one reflection, or one after each program,
 * and an answer.
 */
const usualActions: Readonly<Record<string, UsualActions>> = {
  web: { actions: 11, picked: 9, tools: 7 },
  mhqa: { actions: 7, picked: 6, tools: 4 },
  code: { actions: 16, picked: 8, tools: 7 },
  math: { actions: 16, picked: 8, tools: 7 },
  mhqa_double_check: { actions: 8, picked: 6, tools: 4 },
};
const usualElsewhere: UsualActions = { actions: 11, picked: 9, tools: 7 };

/**
 * A team is called once an action, and once more to pick it where turns are apart; a model that plays alone up to each
 * tool call and up to the answer.
 */
export function expectedCalls(profile: string, teacher: TeacherConfig): ExpectedCalls {
  const { actions, picked, tools } = usualActions[profile] ?? usualElsewhere;
  if (playsAlone(teacher)) return { model: tools + 1, tool: tools };
  return { model: actions + (teacher.turns === 'apart' ? picked : 0), tool: tools };
}
