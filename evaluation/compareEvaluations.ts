import { pairedEstimate, type TaskPair } from '../base/statistics/pairedEstimate.ts';
import { UserError } from '../base/userError.ts';
import { readEvaluation, readTaskFile } from './evaluationFolder.ts';
import type { TaskResult } from './records/sampleResult.ts';
import { taskShares } from './scoreTasks.ts';

/** Two players on the tasks of one benchmark that both have scored samples of. */
export interface BenchmarkComparison {
  readonly benchmark: string;
  /** Tasks of both. */
  readonly tasks: number;
  /** Tasks that only one of them has, or that one has no scored sample of: left out. */
  readonly left_out: number;
  /** Score of a less score of b, with its 95% interval; null for fewer than one task. */
  readonly difference: {
    readonly value: number;
    readonly low: number;
    readonly high: number;
  } | null;
  readonly wins: number;
  readonly ties: number;
  readonly losses: number;
  /** Exact sign-flip test by task or cluster (McNemar's for one sample a task); null for fewer than one task. */
  readonly p: number | null;
  /** The least true difference that so many tasks would show in 80 of 100 cases; null where they would show none. */
  readonly least_detectable: number | null;
}

/** What two evaluations differ in. */
export interface EvaluationComparison {
  readonly a: string;
  readonly b: string;
  readonly benchmarks: readonly BenchmarkComparison[];
}

/**
 * Compares two evaluations task by task, on the benchmarks of one name.
 *
 * @throws UserError where they have none in common, or a folder is no finished evaluation
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

/** Two players' results of the tasks of one benchmark, by task id. */
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
