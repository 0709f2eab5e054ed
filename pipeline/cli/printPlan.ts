import { loadConfig } from '../config/loadConfig.ts';
import { loadDotEnv } from '../config/loadDotEnv.ts';
import { planRun, type RunPlan, usualTokens } from '../plan/planRun.ts';
import type { RunCommandOptions } from './commands/run.ts';
import { formatCount, formatTable, formatUsd } from './format.ts';
import { overridesOf } from './runArguments.ts';

/** Prints what a run would do. Nothing is written, and no model or tool is asked. */
export async function printPlan(configFile: string, options: RunCommandOptions): Promise<void> {
  loadDotEnv(configFile);
  const loaded = await loadConfig(configFile, overridesOf(options));
  const plan = await planRun(loaded, new AbortController().signal);
  console.log(options.json ? JSON.stringify(plan) : planLines(plan).join('\n'));
}

/** A plan as lines. */
function planLines(plan: RunPlan): string[] {
  return [
    `stages   ${plan.stages.join(' -> ')}`,
    `teacher  ${plan.teacher}, model ${plan.model}`,
    '',
    ...formatTable([
      ['tasks of', 'profile', 'tasks', 'model calls', 'tool calls'],
      ...plan.tasks.map((row) => [row.file, row.profile, row.tasks, row.model_calls, row.tool_calls]),
    ]),
    '',
    `${formatCount(plan.bad_tasks)} unusable rows, ${formatCount(plan.duplicate_questions)} duplicate questions: dropped`,
    `about ${formatCount(plan.model_calls)} model calls and ${formatCount(plan.tool_calls)} tool calls: the usual number of interactions of each profile, one call an agent's turn and one of the orchestrator where it has a choice`,
    costLine(plan),
    'nothing was written',
  ];
}

function costLine({ cost_usd, teacher }: RunPlan): string {
  if (teacher !== 'openai') return 'cost: nothing, the teacher is embedded';
  if (cost_usd === null) return 'cost: unknown; set teacher.endpoint.price for an estimate';
  return `cost: about ${formatUsd(cost_usd)}, at ${formatCount(usualTokens.prompt)} prompt and ${usualTokens.completion} answer tokens a call`;
}
