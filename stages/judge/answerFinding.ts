import type { JsonObject } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Verdict } from '../../schemas/verdict.ts';

/** What a rule found about one answer. */
export interface AnswerFinding {
  /** The rule, for instance `exact_match`. */
  readonly judge: string;
  readonly correct: boolean;
  /** Between 0 and 1, see {@link Verdict}. */
  readonly score: number;
  readonly evidence: JsonObject;
}

/** The verdict that a finding comes to. */
export function verdictOf(subject: Verdict['subject'], finding: AnswerFinding): Verdict {
  const { judge, correct, score, evidence } = finding;
  return { subject, judge, judgement: correct ? 'correct' : 'incorrect', score, evidence };
}

/** The failure `unscored` of what another try would find again, such as an answer that no rule can read. */
export function undecided(why: string, evidence: JsonObject = {}): RecordFailure {
  return new RecordFailure('unscored', why, evidence, { retryable: false });
}

const MAX_CHARS = 300;

/** The beginning of a text for evidence, and how long it was where it was cut, after `most` characters. */
export function cutText(text: string, most = MAX_CHARS): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`;
}
