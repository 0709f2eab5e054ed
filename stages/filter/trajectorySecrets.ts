import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import type { SecretKind } from '../../schemas/filterMeasures.ts';
import { type Trajectory, trajectoryId } from '../../schemas/trajectory.ts';
import { findSecrets, replaceSecrets } from './findSecrets.ts';

/** The different secrets of a trajectory, each with its kind. */
export type Secrets = ReadonlyMap<string, SecretKind>;

/**
 * The secrets in what tools showed. What the question, a gold answer or the given answer holds is what the task is
 * about, and no secret.
 */
export function trajectorySecrets(
  trajectory: Trajectory,
  profile: Profile,
  kinds: ReadonlySet<SecretKind>,
): Secrets {
  const asked = new Set(secretsIn(textsAskedFor(trajectory, profile), kinds).keys());
  const shown = trajectory.segments.filter(({ origin }) => origin === 'environment');
  const secrets = secretsIn(
    shown.map(({ text }) => text),
    kinds,
  );
  return new Map([...secrets].filter(([secret]) => !asked.has(secret)));
}

/** How many different secrets there are of each kind, in the order of their names. */
export function countByKind(secrets: Secrets): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of [...secrets.values()].sort()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/**
 * The trajectory with a placeholder such as `[email]` in the place of each secret, in all its segments: a model that
 * repeats what it was shown must not be trained to make it up. Its id is that of the new text.
 */
export function maskSecrets(trajectory: Trajectory, secrets: Secrets): Trajectory {
  if (secrets.size === 0) return trajectory;
  const kinds = new Set(secrets.values());
  const mask = (secret: string, kind: SecretKind) => (secrets.has(secret) ? `[${kind}]` : secret);
  const segments = trajectory.segments.map((segment) => ({
    ...segment,
    text: replaceSecrets(segment.text, kinds, mask),
  }));
  const masked = { ...trajectory, segments };
  return { ...masked, id: trajectoryId(masked) };
}

function secretsIn(texts: readonly string[], kinds: ReadonlySet<SecretKind>): Map<string, SecretKind> {
  const secrets = new Map<string, SecretKind>();
  for (const text of texts) {
    for (const { kind, start, end } of findSecrets(text, kinds)) secrets.set(text.slice(start, end), kind);
  }
  return secrets;
}

function textsAskedFor({ question, answers, segments }: Trajectory, profile: Profile): string[] {
  const answerTag = tagOfKind(profile, 'answer');
  return [question, ...answers, ...segments.filter(({ tag }) => tag === answerTag).map(({ text }) => text)];
}
