import type { BenchmarkResult, EstimateRecord, Scores } from './evaluationFile.ts';

/** Named scores of a benchmark's groups, then of tasks the player was and was not trained on. */
export function groupScores({ groups, contamination }: BenchmarkResult): [name: string, Scores][] {
  const seen = Object.entries(contamination ?? {});
  return [
    ...Object.entries(groups),
    ...seen.map(([kind, scores]): [string, Scores] => [`${kind} in training`, scores]),
  ];
}

/** Named figures of some scores, without unknown ones. */
export function scoreFigures(scores: Scores): [name: string, EstimateRecord][] {
  const { score, pass_at, pass_power, majority, best_of_n } = scores;
  const several = (name: string, byK: Scores['pass_at']) =>
    Object.entries(byK).map(([k, estimate]) => [`${name}${k}`, Number(k) > 1 && estimate] as const);
  const all = [
    ['score', score] as const,
    ...several('pass@', pass_at),
    ...several('pass^', pass_power),
    ['majority', majority] as const,
    ['picked by the judge', best_of_n] as const,
  ];
  return all.flatMap(([name, estimate]) => (estimate ? [[name, estimate]] : []));
}
