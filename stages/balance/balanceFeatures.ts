import type { BalanceConfig, BalanceDimension, Buckets } from '../../schemas/config/balance.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';

/** What balancing looks at in one record. */
export interface BalanceFeatures {
  /** Hash of the record's content, so that it is the same wherever it stands. */
  readonly id: string;
  readonly profile: string;
  /** Undefined where nothing says it. */
  readonly source: string | undefined;
  /** Share of a model's samples that solved the task, 0 to 1; undefined where none were taken. */
  readonly passRate: number | undefined;
  /** Agent-tool interactions. */
  readonly steps: number;
  /** UTF-16 code units of the trajectory's text. */
  readonly length: number;
  /** Higher is better: the best of a full group stay. */
  readonly quality: number;
}

/** The group of a record that does not say what it would be grouped by. */
const unknownGroup = 'unknown';

/** The names of the groups that a record is in, by dimension. */
export function groupNames(
  { profile, source, passRate, steps, length }: BalanceFeatures,
  config: Pick<BalanceConfig, 'difficulty' | 'steps' | 'length'>,
): Record<BalanceDimension, string> {
  return {
    profile,
    source: source ?? unknownGroup,
    difficulty: passRate === undefined ? unknownGroup : bucketOf(config.difficulty, passRate),
    steps: bucketOf(config.steps, steps),
    length: bucketOf(config.length, length),
  };
}

/** The bucket with the highest least value that the value reaches; one begins at 0. */
function bucketOf(buckets: Buckets, value: number): string {
  let found: [name: string, least: number] | undefined;
  for (const [name, least] of Object.entries(buckets)) {
    if (least <= value && (found === undefined || least > found[1])) found = [name, least];
  }
  if (found === undefined) throw new Error(`no bucket for the value ${value}`);
  return found[0];
}

/** What balancing looks at in a trajectory. */
export function trajectoryFeatures({
  id,
  profile,
  source,
  segments,
  quality,
  measures,
}: Trajectory): BalanceFeatures {
  return {
    id,
    profile,
    source,
    passRate: measures?.pass_rate ?? undefined,
    steps: quality.interactions,
    length: segments.reduce((sum, segment) => sum + segment.text.length, 0),
    quality: qualityScore(quality),
  };
}
