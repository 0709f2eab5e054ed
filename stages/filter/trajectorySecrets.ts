import { byName, Counts } from '../../base/counts.ts';
import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import type { SecretKind } from '../../schemas/filterMeasures.ts';
import { type Trajectory, trajectoryId } from '../../schemas/trajectory.ts';

/** Distinct secrets of a trajectory with their kinds. */
export type Secrets = ReadonlyMap<string, SecretKind>;

/** Secrets in tool results. Text of the question or an answer is the subject of the task, not a secret. */
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

/** Number of distinct secrets per kind, sorted by name. */
export function countByKind(secrets: Secrets): Record<string, number> {
  return byName(Counts.of(secrets.values()));
}

/**
 * Replaces each secret by a placeholder such as `[email]` in all segments: a model that repeats it would otherwise be
 * trained to invent it. The id is that of the new text.
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

/** A secret in a text: UTF-16 offsets, end exclusive. */
interface FoundSecret {
  readonly kind: SecretKind;
  readonly start: number;
  readonly end: number;
}

interface SecretPattern {
  readonly kind: SecretKind;
  /** Repetitions are bounded and start at a fixed mark, so that matching is linear. */
  readonly pattern: RegExp;
  readonly accept?: (text: string) => boolean;
}

/** In priority order: of two that start at the same place, the earlier entry wins. */
const patterns: readonly SecretPattern[] = [
  {
    kind: 'private_key',
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s:,.]|-(?!-)){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----/g,
  },
  {
    kind: 'json_web_token',
    pattern: /(?<![\w-])eyJ[\w-]{10,4000}\.eyJ[\w-]{10,4000}\.[\w-]{10,4000}/g,
  },
  {
    // OpenAI and Anthropic, AWS, GitHub, GitLab, Google, Hugging Face, Slack, Stripe.
    kind: 'api_key',
    pattern:
      /(?<![A-Za-z0-9_-])(?:sk-(?:proj-|ant-)?[\w-]{20,200}|(?:AKIA|ASIA)[A-Z0-9]{16}|gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255}|glpat-[\w-]{20,100}|AIza[\w-]{35}|hf_[A-Za-z0-9]{30,60}|xox[abprs]-[\w-]{10,200}|[rs]k_live_[A-Za-z0-9]{16,200})(?![A-Za-z0-9_-])/g,
  },
  {
    kind: 'email',
    pattern: /(?<![\w.+-])[\w+-][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])/g,
  },
  {
    kind: 'credit_card',
    pattern: /(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])/g,
    accept: passesLuhn,
  },
  {
    // International: + and 8 to 15 digits. American: three groups, the area code in brackets or all groups joined alike.
    kind: 'phone',
    pattern:
      /(?<![\w+.])\+\d(?:[ .()-]{0,2}\d){7,14}(?!\w)|(?<![\w(])\(\d{3}\) ?\d{3}[-.]\d{4}(?!\w)|(?<![\w.-])\d{3}([-.])\d{3}\1\d{4}(?![\w-])/g,
  },
];

/** Secrets of the given kinds in order; no two overlap. */
export function findSecrets(text: string, kinds: ReadonlySet<SecretKind>): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { kind, pattern, accept } of patterns) {
    if (!kinds.has(kind)) continue;
    for (const match of text.matchAll(pattern)) {
      if (accept?.(match[0]) ?? true)
        found.push({ kind, start: match.index, end: match.index + match[0].length });
    }
  }
  let end = 0;
  // Sorting is stable, so the order of the patterns breaks ties.
  return found
    .sort((a, b) => a.start - b.start)
    .filter((secret) => {
      const isFree = secret.start >= end;
      if (isFree) ({ end } = secret);
      return isFree;
    });
}

export function replaceSecrets(
  text: string,
  kinds: ReadonlySet<SecretKind>,
  replace: (secret: string, kind: SecretKind) => string,
): string {
  let replaced = '';
  let from = 0;
  for (const { kind, start, end } of findSecrets(text, kinds)) {
    replaced += text.slice(from, start) + replace(text.slice(start, end), kind);
    from = end;
  }
  return replaced + text.slice(from);
}

/** Issuer ranges of card numbers: 13 to 19 digits, the first from 2 to 6. */
const cardNumber = /^[2-6]\d{12,18}$/;

/** True for a card number: valid range and check digit of ISO/IEC 7812 (Luhn). */
export function passesLuhn(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  if (!cardNumber.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
