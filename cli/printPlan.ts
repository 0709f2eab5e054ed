import { listedPricesDate } from '../calls/budget/priceOf.ts';
import { loadConfig } from '../pipeline/config/loadConfig.ts';
import { loadDotEnv } from '../pipeline/config/loadDotEnv.ts';
import { plannedStages, planRun, type RunPlan, usualTokens } from '../pipeline/planRun.ts';
import { describeStageState, type StageState } from '../pipeline/run/stageState.ts';
import { asksEndpoint, playsAlone } from '../schemas/config/teacherBackends.ts';
import { formatCount, formatTable, formatUsd } from './format.ts';
import { checkedRunName, overridesOf, type RunCommandOptions } from './runArguments.ts';
import { fewTestsLines } from './summary.ts';

/** Prints what a run would do. Nothing is written, and no model or tool is asked. */
export async function printPlan(configFile: string, options: RunCommandOptions): Promise<void> {
  loadDotEnv(configFile);
  const loaded = await loadConfig(configFile, overridesOf(options));
  const name = checkedRunName(options.name ?? loaded.name);
  const { from, until, offline = false } = options;
  const planned = await plannedStages({ loaded, name, env: process.env, offline, from, until });
  const plan = await planRun(loaded, new AbortController().signal);
  const lines = [...stageLines(planned.stages), ...planLines(plan)];
  const missing = planned.missing.map((what) => `missing: ${what}`);
  if (options.json) console.log(JSON.stringify({ run: name, ...planned, ...plan }));
  else console.log([...lines, ...missing, 'nothing was written'].join('\n'));
}

/** What is pending of each stage, and why. */
function stageLines(states: readonly StageState[]): string[] {
  return [
    ...formatTable([['stage', 'state'], ...states.map((state) => [state.stage, describeStageState(state)])]),
    '',
  ];
}

/** A plan as lines. */
function planLines(plan: RunPlan): string[] {
  const several = plan.tasks.some(({ tasks, rollouts }) => rollouts > tasks);
  return [
    `teacher  ${plan.teacher}, model ${plan.model}`,
    '',
    ...formatTable([
      ['tasks of', 'profile', 'tasks', ...(several ? ['rollouts'] : []), 'model calls', 'tool calls'],
      ...plan.tasks.map((row) => [
        ...[row.file, row.profile, row.tasks, ...(several ? [`up to ${formatCount(row.rollouts)}`] : [])],
        ...[row.model_calls, row.tool_calls],
      ]),
    ]),
    '',
    `${formatCount(plan.bad_tasks)} unusable rows, ${formatCount(plan.duplicate_questions)} duplicate questions${plan.contaminated === 0 ? '' : `, ${formatCount(plan.contaminated)} questions of benchmarks`}: dropped`,
    ...fewTestsLines(plan.tasks_by_tests),
    `about ${formatCount(plan.model_calls)} model calls and ${formatCount(plan.tool_calls)} tool calls: the usual number of interactions of each profile, ${callsOf(plan)}`,
    costLine(plan),
  ];
}

function callsOf({ teacher }: RunPlan): string {
  return playsAlone({ backend: teacher })
    ? 'one call up to each tool call and one up to the answer'
    : "one call an agent's turn and one of the orchestrator where it has a choice";
}

function costLine({ cost_usd, teacher, model, price_is_listed }: RunPlan): string {
  if (!asksEndpoint({ backend: teacher })) return 'cost: nothing, the teacher is embedded';
  if (cost_usd === null)
    return `cost: unknown, no price is known of ${model}; set teacher.endpoint.price for an estimate`;
  const source = price_is_listed ? `; the price is the one listed on ${listedPricesDate}` : '';
  return `cost: about ${formatUsd(cost_usd)}, at ${formatCount(usualTokens.prompt)} prompt and ${usualTokens.completion} answer tokens a call${source}`;
}
