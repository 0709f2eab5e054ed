import { byName, Counts } from '../base/counts.ts';
import { type Estimate, figuresEstimate, type TaskFigure } from '../base/statistics/estimates.ts';
import { passEstimates, passPowerEstimates } from '../base/statistics/passAtK.ts';
import { ratioEstimate } from '../base/statistics/ratioEstimate.ts';
import { sum } from '../base/sum.ts';
import { foldedText } from '../schemas/normalForm.ts';
import type { EstimateRecord, Scores } from './records/evaluationFile.ts';
import type { SampleResult, SampleUse, TaskResult } from './records/sampleResult.ts';

interface ScoredTask {
  readonly task: TaskResult;
  readonly scored: readonly SampleResult[];
  readonly right: number;
}

export interface ScoreOptions {
  /** Values of k for pass@k and pass^k, at most the number of samples. */
  readonly ks: readonly number[];
}

/**
 * Scores of tasks. Averages the samples of each task first, since they are not independent. Unscored samples are only
 * in the counts and the bounds.
 */
export function scoreTasks(tasks: readonly TaskResult[], { ks }: ScoreOptions): Scores {
  const samples = tasks.flatMap((task) => task.samples);
  const all = tasks.map(scoredTask);
  const scored = all.filter((task) => task.scored.length > 0);
  const over = (figure: (task: ScoredTask) => number | undefined): EstimateRecord | null =>
    recordOf(estimateOf(scored, figure));
  const counts = scored.map(({ task, scored, right }) => ({
    scored: scored.length,
    right,
    ...clusterOf(task),
  }));
  const byK = (estimates: ReadonlyMap<number, Estimate>) =>
    Object.fromEntries(ks.map((k) => [k, recordOf(estimates.get(k))]));
  const count = (result: SampleResult['result']) => samples.filter((of) => of.result === result).length;
  return {
    tasks: tasks.length,
    scored_tasks: scored.length,
    samples: { right: count('right'), wrong: count('wrong'), unscored: count('unscored') },
    reasons: byName(Counts.of(samples.flatMap(({ reason }) => reason ?? []))),
    score: over(({ scored, right }) => right / scored.length),
    bounds: boundsOf(tasks),
    pass_at: byK(passEstimates(counts, ks)),
    pass_power: byK(passPowerEstimates(counts, ks)),
    majority: ks.some((k) => k > 1) ? over(majorityIsRight) : null,
    best_of_n: over(pickIsRight),
    completion_tokens: recordOf(useEstimate(tasks, ({ completion_tokens }) => completion_tokens)),
    tool_calls: recordOf(useEstimate(tasks, ({ tool_calls }) => tool_calls)),
    completion_tokens_per_right: perRight(tasks, ({ completion_tokens }) => completion_tokens),
    cost_usd_per_right: perRight(tasks, ({ cost_usd }) => cost_usd),
    cost_usd: sum(samples.map(({ use }) => use?.cost_usd ?? 0)),
  };
}

function scoredTask(task: TaskResult): ScoredTask {
  const scored = task.samples.filter(({ result }) => result !== 'unscored');
  return { task, scored, right: scored.filter(({ result }) => result === 'right').length };
}

/** Share of right among scored samples, per task with any. */
export function taskShares(tasks: readonly TaskResult[]): TaskFigure[] {
  return tasks
    .map(scoredTask)
    .filter(({ scored }) => scored.length > 0)
    .map(({ task, scored, right }) => ({ value: right / scored.length, ...clusterOf(task) }));
}

function estimateOf(
  tasks: readonly ScoredTask[],
  figure: (task: ScoredTask) => number | undefined,
): Estimate | undefined {
  return figuresEstimate(
    tasks.flatMap((of): TaskFigure[] => {
      const value = figure(of);
      return value === undefined ? [] : [{ value, ...clusterOf(of.task) }];
    }),
  );
}

function clusterOf({ cluster }: TaskResult): { cluster?: string } {
  return cluster === undefined ? {} : { cluster };
}

function recordOf(estimate: Estimate | undefined): EstimateRecord | null {
  if (!estimate) return null;
  const { value, low, high } = estimate;
  return { value, low, high: Number.isFinite(high) ? high : null };
}

function boundsOf(tasks: readonly TaskResult[]): { low: number; high: number } {
  const mean = (counts: (sample: SampleResult) => boolean): number =>
    tasks.reduce((sum, { samples }) => sum + samples.filter(counts).length / Math.max(1, samples.length), 0) /
    Math.max(1, tasks.length);
  return { low: mean(({ result }) => result === 'right'), high: mean(({ result }) => result !== 'wrong') };
}

/**
 * 1 if the majority answer of the scored samples is right, else 0. Compares answers as text, ignoring case and white
 * space; ties go to the first. Samples without an answer do not vote.
 */
function majorityIsRight({ scored }: ScoredTask): number {
  const votes = Map.groupBy(
    scored.filter(({ answer }) => answer !== null),
    ({ answer }) => foldedText(answer!),
  );
  const most = [...votes.values()].reduce<readonly SampleResult[]>(
    (best, group) => (group.length > best.length ? group : best),
    [],
  );
  const right = most.filter(({ result }) => result === 'right').length;
  return Number(right * 2 > most.length);
}

/** 1 if the picked sample is right, else 0; undefined without a pick. */
function pickIsRight({ task: { picked, samples } }: ScoredTask): number | undefined {
  if (picked === undefined || samples.some(({ result }) => result === 'unscored')) return undefined;
  return Number(picked !== null && samples[picked]?.result === 'right');
}

type Figure = (use: SampleUse) => number;

function useEstimate(tasks: readonly TaskResult[], figure: Figure): Estimate | undefined {
  return ratioEstimate(
    tasks.flatMap((task) => {
      const uses = task.samples.flatMap(({ use }) => use ?? []);
      if (uses.length === 0) return [];
      return [{ amount: sum(uses.map(figure)) / uses.length, count: 1, ...clusterOf(task) }];
    }),
  );
}

function perRight(tasks: readonly TaskResult[], figure: Figure): EstimateRecord | null {
  return recordOf(
    ratioEstimate(
      tasks.map((task) => ({
        amount: sum(task.samples.map(({ use }) => (use ? figure(use) : 0))),
        count: task.samples.filter(({ result }) => result === 'right').length,
        ...clusterOf(task),
      })),
    ),
  );
}
