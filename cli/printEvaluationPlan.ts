import { sum } from '../base/sum.ts';
import {
  type BenchmarkPlan,
  type EvaluationPlan,
  planEvaluation,
} from '../operations/evaluate/planEvaluation.ts';
import { usualVerdictTokens } from '../pipeline/planJudge.ts';
import { usualTokens } from '../pipeline/planRun.ts';
import { describeStageState } from '../pipeline/run/stageState.ts';
import { asksEndpoint } from '../schemas/config/teacherBackends.ts';
import { type EvaluateCommandOptions, evaluationOf } from './evaluateFromCommandLine.ts';
import { formatCount, formatTable, formatUsd } from './format.ts';
import { causesOf } from './printPlan.ts';
import { fewTestsLines } from './summary.ts';

/** Prints what an evaluation would do. Nothing is written, and no model or tool is asked. */
export async function printEvaluationPlan(
  configFile: string,
  options: EvaluateCommandOptions,
): Promise<void> {
  const { signal } = new AbortController();
  const plan = await planEvaluation({ ...(await evaluationOf(configFile, options)), signal });
  console.log(options.json ? JSON.stringify(plan) : planLines(plan).join('\n'));
}

function planLines({ evaluation, benchmarks, missing }: EvaluationPlan): string[] {
  const [{ teacher, model }] = benchmarks as [BenchmarkPlan];
  return [
    `evaluation ${evaluation} of ${model} (${teacher})`,
    '',
    ...formatTable([
      ['', 'rollouts', 'tasks', 'samples', 'model calls', 'tool calls', "judge's calls", 'cost'],
      ...benchmarks.map((one) => [
        ...[one.name, stateOf(one), sum(one.tasks.map(({ tasks }) => tasks)), one.samples],
        ...[
          one.model_calls,
          one.tool_calls,
          sum(judged(one).map(({ model_calls }) => model_calls)),
          usd(costOf(one)),
        ],
      ]),
    ]),
    '',
    ...benchmarks.flatMap(leftOutLine),
    `in all ${totalOf(benchmarks)}: about ${usualTokens.prompt} prompt and ${usualTokens.completion} answer tokens a call, ${usualVerdictTokens.prompt} and ${usualVerdictTokens.completion} a judge's`,
    ...missing.map((what) => `missing: ${what}`),
    'nothing was written',
  ];
}

/** Where the rollouts of a benchmark stand. */
function stateOf({ stages }: BenchmarkPlan): string {
  const state = stages.find(({ stage }) => stage === 'rollout');
  return state ? describeStageState(state) : '';
}

/** US dollars of the player and the judge; null where a price is not known. */
function costOf(plan: BenchmarkPlan): number | null {
  const player = asksEndpoint({ backend: plan.teacher }) ? [plan] : [];
  const costs = [...player, ...judged(plan)].map(({ cost_usd }) => cost_usd);
  return costs.includes(null) ? null : sum(costs.map((cost) => cost ?? 0));
}

/** What the judge's model is asked: about answers, and which sample is the best. */
function judged({ judge, picks }: BenchmarkPlan) {
  return [judge, picks].filter((asked) => asked !== undefined);
}

function usd(cost: number | null): string {
  return cost === null ? 'no price known' : formatUsd(cost);
}

function totalOf(benchmarks: readonly BenchmarkPlan[]): string {
  const costs = benchmarks.map(costOf);
  const known = sum(costs.map((cost) => cost ?? 0));
  const more = costs.includes(null) ? ' and what has no price: set teacher.endpoint.price' : '';
  return `${formatUsd(known)}${more}`;
}

function leftOutLine(plan: BenchmarkPlan): string[] {
  const { name, bad_tasks, duplicate_questions, tasks_by_tests } = plan;
  const few = fewTestsLines(tasks_by_tests).map((line) => `${name}: ${line}`);
  if (bad_tasks + duplicate_questions === 0) return few;
  return [
    ...few,
    `${name}: ${formatCount(bad_tasks)} unusable rows${causesOf(plan)} and ${formatCount(duplicate_questions)} duplicate questions are left out`,
  ];
}
