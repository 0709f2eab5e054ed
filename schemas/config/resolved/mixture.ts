import { hashedShare } from '../../hashedShare.ts';
import type { Config } from '../config.ts';
import type { MixtureMember } from '../mixture.ts';

/** Fields of a rollout that determine its member. */
interface OfRollout {
  readonly task_id: string;
  readonly rollout?: number | undefined;
  /** A second try belongs to the member of the first. */
  readonly repairs?: number | undefined;
}

/** Multiples `n * GOLDEN` modulo 1 are evenly distributed over [0, 1) for any count. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Mixture member of a rollout. Tasks start at a position from their id and continue evenly: the shares hold over many
 * tasks, and as closely as possible within one.
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

/** Configurations of all members; without a mixture the teacher's own. */
export function memberConfigs<T extends Pick<Config, 'teacher'>>(config: T): readonly T[] {
  const { mixture } = config.teacher;
  return mixture ? mixture.map((member) => configOfMember(config, member)) : [config];
}
