import { pairedEstimate, type TaskPair } from '../base/statistics/pairedEstimate.ts';
import { UserError } from '../base/userError.ts';
import { readEvaluation, readTaskFile } from './evaluationFolder.ts';
import type { TaskResult } from './records/sampleResult.ts';
import { taskShares } from './scoreTasks.ts';

/** Comparison of two players on the common tasks of one benchmark with scored samples. */
export interface BenchmarkComparison {
  readonly benchmark: string;
  /** Tasks with scored samples of both players. */
  readonly tasks: number;
  /** Excluded tasks, which lack a scored sample of one of the players. */
  readonly left_out: number;
  /** Score of a minus score of b, with its 95% interval; null without tasks. */
  readonly difference: {
    readonly value: number;
    readonly low: number;
    readonly high: number;
  } | null;
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** Exact sign-flip test by task or cluster (McNemar's for one sample per task); null without tasks. */
  readonly p: number | null;
  /** Minimum detectable difference at 80% power; null if there is none. */
  readonly least_detectable: number | null;
}

export interface EvaluationComparison {
  readonly a: string;
  readonly b: string;
  readonly benchmarks: readonly BenchmarkComparison[];
}

/**
 * Compares two evaluations task by task on their common benchmarks.
 *
 * @throws UserError without common benchmarks, or for a folder without a finished evaluation
 */
export async function compareEvaluations(folderA: string, folderB: string): Promise<EvaluationComparison> {
  const [a, b] = [await readEvaluation(folderA), await readEvaluation(folderB)];
  const common = a.benchmarks.filter(({ name }) => b.benchmarks.some((other) => other.name === name));
  if (common.length === 0) {
    const names = (of: typeof a) => of.benchmarks.map(({ name }) => name).join(', ');
    throw new UserError(
      `${folderA} and ${folderB} have no benchmark in common: ${names(a)} against ${names(b)}`,
    );
  }
  const benchmarks: BenchmarkComparison[] = [];
  for (const { name } of common)
    benchmarks.push(compareTasks(name, await readTaskFile(folderA, name), await readTaskFile(folderB, name)));
  return { a: a.name, b: b.name, benchmarks };
}

/** Compares two players' results for the tasks of a benchmark, by task id. */
export function compareTasks(
  benchmark: string,
  a: readonly TaskResult[],
  b: readonly TaskResult[],
): BenchmarkComparison {
  const others = new Map(b.map((task) => [task.task_id, task]));
  const pairs = a.flatMap((task): TaskPair[] => {
    const other = others.get(task.task_id);
    const [[ofA], [ofB]] = [taskShares([task]), taskShares(other ? [other] : [])];
    if (!ofA || !ofB) return [];
    const { value, ...cluster } = ofA;
    return [{ a: value, b: ofB.value, ...cluster }];
  });
  const ids = new Set([...a, ...b].map(({ task_id }) => task_id));
  const paired = pairedEstimate(pairs);
  return {
    benchmark,
    tasks: pairs.length,
    left_out: ids.size - pairs.length,
    difference: paired ? { value: paired.value, low: paired.low, high: paired.high } : null,
    wins: paired?.wins ?? 0,
    ties: paired?.ties ?? 0,
    losses: paired?.losses ?? 0,
    p: paired?.p ?? null,
    least_detectable: paired && paired.leastDetectable <= 1 ? paired.leastDetectable : null,
  };
}
