import type { JsonObject } from '../../base/json.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Verdict } from '../../schemas/verdict.ts';

/** Result of a rule for one answer. */
export interface AnswerFinding {
  /** Name of the rule, such as `exact_match`. */
  readonly judge: string;
  readonly correct: boolean;
  /** Between 0 and 1, see {@link Verdict}. */
  readonly score: number;
  readonly evidence: JsonObject;
}

/** Converts a finding to a verdict. */
export function verdictOf(subject: Verdict['subject'], finding: AnswerFinding): Verdict {
  const { judge, correct, score, evidence } = finding;
  return { subject, judge, judgement: correct ? 'correct' : 'incorrect', score, evidence };
}

/** Failure `unscored` for a cause that a retry would repeat, such as an unreadable answer. */
export function undecided(why: string, evidence: JsonObject = {}): RecordFailure {
  return new RecordFailure('unscored', why, evidence, { retryable: false });
}

const MAX_CHARS = 300;

/** Truncates a text for evidence after `most` characters, noting its length. */
export function cutText(text: string, most = MAX_CHARS): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).toWellFormed()}… (${text.length} characters)`;
}
