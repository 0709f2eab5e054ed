import { hashedShare } from '../../hashedShare.ts';
import type { Config } from '../config.ts';
import type { MixtureMember } from '../mixture.ts';

/** What of a rollout says who makes it. */
interface OfRollout {
  readonly task_id: string;
  readonly rollout?: number | undefined;
  /** A second try is made by who made the first. */
  readonly repairs?: number | undefined;
}

/** Numbers `n * GOLDEN` modulo 1 lie evenly between 0 and 1, however many there are. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * The member of a mixture that makes a rollout. Tasks begin at a place that their id gives and go on evenly from there:
 * the shares hold over many tasks, and as nearly as can be among the rollouts of one.
 */
export function memberOf(
  mixture: readonly MixtureMember[],
  { task_id, rollout = 0, repairs = rollout }: OfRollout,
): MixtureMember {
  const all = mixture.reduce((sum, { share }) => sum + share, 0);
  let left = ((hashedShare('mixture', 0, task_id) + repairs * GOLDEN) % 1) * all;
  for (const member of mixture) {
    left -= member.share;
    if (left < 0) return member;
  }
  return mixture.at(-1)!;
}

export function configOfMember<T extends Pick<Config, 'teacher'>>(config: T, member: MixtureMember): T {
  const { mixture: _, ...teacher } = config.teacher;
  return { ...config, teacher: { ...teacher, model: member.model ?? teacher.model } };
}

/** The configurations of all members; of a teacher without a mixture its own. */
export function memberConfigs<T extends Pick<Config, 'teacher'>>(config: T): readonly T[] {
  const { mixture } = config.teacher;
  return mixture ? mixture.map((member) => configOfMember(config, member)) : [config];
}
