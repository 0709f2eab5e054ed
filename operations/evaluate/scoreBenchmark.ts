import { byName } from '../../base/counts.ts';
import type { BenchmarkResult } from '../../schemas/evaluation/evaluationFile.ts';
import type { SampleResult, TaskResult } from '../../schemas/evaluation/sampleResult.ts';
import { NO_GROUP } from './readTaskResults.ts';
import { type ScoreOptions, scoreTasks } from './scoreTasks.ts';

/** What of a result the tasks do not say. */
type BenchmarkFacts = Pick<
  BenchmarkResult,
  'name' | 'run' | 'config_hash' | 'samples_per_task' | 'left_out' | 'grammar' | 'incidents' | 'use_by_role'
>;

/** The result of a benchmark. */
export function scoreBenchmark(
  facts: BenchmarkFacts,
  tasks: readonly TaskResult[],
  { maxUnscored, ...options }: ScoreOptions & { readonly maxUnscored: number },
): BenchmarkResult {
  const samples = tasks.flatMap((task) => task.samples);
  const unscored = samples.filter(({ result }) => result === 'unscored').length;
  const isChecked = tasks.some(({ seen_in_training }) => seen_in_training !== undefined);
  const seen = (wanted: boolean) =>
    scoreTasks(
      tasks.filter(({ seen_in_training }) => seen_in_training === wanted),
      options,
    );
  return {
    ...facts,
    too_many_unscored: samples.length === 0 || unscored > maxUnscored * samples.length,
    all: scoreTasks(tasks, options),
    groups: groupScores(tasks, options),
    ...(isChecked && { contamination: { unseen: seen(false), seen: seen(true) } }),
    double_check: doubleChecks(samples),
    reflections: meanOf(samples.map(({ reflections }) => reflections)),
    repeated_tool_inputs: meanOf(samples.map(({ repeated_tool_inputs }) => repeated_tool_inputs)),
  };
}

/** Nothing where no task has the column. */
function groupScores(tasks: readonly TaskResult[], options: ScoreOptions): BenchmarkResult['groups'] {
  const groups = [...Map.groupBy(tasks, ({ group = NO_GROUP }) => group)];
  if (groups.every(([group]) => group === NO_GROUP)) return {};
  return byName(groups.map(([group, of]) => [group, scoreTasks(of, options)] as const));
}

function doubleChecks(samples: readonly SampleResult[]): BenchmarkResult['double_check'] {
  const scored = samples.filter(({ result, double_check }) => result !== 'unscored' && double_check !== null);
  return [...Map.groupBy(scored, ({ double_check }) => double_check!)]
    .sort(([a], [b]) => a - b)
    .map(([score, of]) => ({
      score,
      samples: of.length,
      right: of.filter(({ result }) => result === 'right').length,
    }));
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
