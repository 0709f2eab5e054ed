import type { BenchmarkResult, EstimateRecord, Scores } from '../../evaluation/records/evaluationFile.ts';
import { percent } from './words.ts';

interface IntervalProps {
  readonly estimate: EstimateRecord;
  /** The ends of the line. Default: 0 and 1. */
  readonly reach?: readonly [least: number, most: number];
}

/** A share on a line, with its interval as a bar and in percent. */
export function Interval({ estimate: { value, low, high }, reach: [least, most] = [0, 1] }: IntervalProps) {
  if (low === null || high === null) return <>not known</>;
  const x = (of: number) => (200 * (Math.min(most, Math.max(least, of)) - least)) / (most - least);
  return (
    <span class="interval">
      <svg viewBox="0 0 200 14" aria-hidden="true">
        <rect class="track" x="0" y="6" width="200" height="2" />
        {least < 0 && <rect class="track" x={x(0)} y="0" width="1" height="14" />}
        <rect class="bar" x={x(low)} y="3" width={Math.max(1, x(high) - x(low))} height="8" />
        <rect class="point" x={Math.max(0, x(value) - 1)} y="1" width="2" height="12" />
      </svg>{' '}
      {percent(low)} to {percent(high)}
    </span>
  );
}

type ScoreIntervalProps = Pick<BenchmarkResult, 'too_many_unscored'> &
  Pick<Scores, 'bounds'> & { readonly estimate: EstimateRecord | null };

/** A score's interval; where too many samples are unscored, between what it must lie. */
export function ScoreInterval({ too_many_unscored, bounds, estimate }: ScoreIntervalProps) {
  if (too_many_unscored)
    return (
      <span class="bad">
        too many unscored: between {percent(bounds.low)} and {percent(bounds.high)}
      </span>
    );
  return estimate && <Interval estimate={estimate} />;
}
