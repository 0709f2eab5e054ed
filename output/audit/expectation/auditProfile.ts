import type { Profile } from '../../../schemas/coa/profile.ts';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';

const builtinTags = Object.values(builtinProfiles).flatMap((profile) => profile.tags);
const made = new Map<string, Profile>();

/**
 * A profile that knows the tags of all built-in profiles, and those of a trajectory that has others: who wrote a
 * block is read from its tag, and no grammar is checked.
 *
 * @param observationTag the tag of tools' outputs where no trajectory tells it
 */
export function auditProfile(
  trajectory?: Pick<Trajectory, 'segments'>,
  observationTag = 'observation',
): Profile {
  const environment = trajectory?.segments.find((segment) => segment.origin === 'environment')?.tag;
  const observation = environment ?? observationTag;
  const names = new Set(builtinTags.map((rule) => rule.tag));
  const more = [...new Set(trajectory?.segments.map((segment) => segment.tag))].filter(
    (tag) => !names.has(tag),
  );
  const key = [observation, ...more.sort()].join(' ');
  const known = made.get(key);
  if (known) return known;
  const profile = profileWith(observation, more);
  made.set(key, profile);
  return profile;
}

function profileWith(observation: string, more: readonly string[]): Profile {
  const rules = new Map(builtinTags.map((rule) => [rule.tag, rule]));
  if (observation !== 'observation') rules.delete('observation');
  for (const tag of more) rules.set(tag, { tag, agent: tag, kind: 'tool', body: 'text' });
  rules.set(observation, { tag: observation, agent: observation, kind: 'observation', body: 'text' });
  return { ...builtinProfiles.afm!, name: 'audit', tags: [...rules.values()] };
}
