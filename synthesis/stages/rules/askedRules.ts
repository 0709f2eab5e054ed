import type { DropReason } from '../../../schemas/dropReasons.ts';
import type { CheckVerdict } from '../../../schemas/taskSynthesis.ts';
import type { CheckConfig } from '../../synthesizeConfig.ts';

/** Positive results out of all answered requests; failed requests count in neither number. */
export interface Tally {
  readonly passed: number;
  readonly tries: number;
  readonly request_hashes?: readonly string[];
}

export interface AskedRule {
  readonly reason: DropReason;
  /** Meaning of `passed`. */
  readonly counts: string;
  passes(tally: Tally, config: CheckConfig): boolean;
}

const rate = ({ passed, tries }: Tally) => passed / tries;
/** True for more than half. */
export const isMajority = (tally: Tally) => rate(tally) > 0.5;

/** Minimum hops at which an answer revealed by one search drops the candidate; below, it is only recorded. */
const SEARCHED_HOPS = 3;

export const askedRules = {
  read_back: {
    reason: 'answer_drift',
    counts: 'readings of the words that are the form',
    passes: isMajority,
  },
  closed_book: {
    reason: 'closed_book',
    counts: 'right answers without tools',
    passes: (tally, { closed_book }) => rate(tally) <= closed_book.max_pass_rate,
  },
  with_evidence: {
    reason: 'unanswerable',
    counts: 'right answers from the quotes among noise',
    passes: isMajority,
  },
  without_hop: {
    reason: 'shortcut',
    counts: 'right answers from the quotes without one',
    passes: (tally) => !isMajority(tally),
  },
  solvable: {
    reason: 'unanswerable',
    counts: 'right answers with tools',
    passes: ({ passed }, { tools }) => passed >= (tools?.min_passed ?? 0),
  },
  alternatives: {
    reason: 'not_unique',
    counts: 'votes that a wrong answer meets every clue',
    passes: (tally) => !isMajority(tally),
  },
  hard: {
    reason: 'too_easy',
    counts: 'right answers with tools',
    passes: (tally, { tools }) => rate(tally) <= (tools?.max_pass_rate ?? 1),
  },
} as const satisfies Readonly<Record<string, AskedRule>>;

export type AskedRuleName = keyof typeof askedRules;

/**
 * Verdict of a check on its tally; undefined if no request was answered.
 *
 * @param name - The rule; `alternatives` runs once per wrong answer and `without_hop` once per hop
 */
export function verdictOf(name: AskedRuleName, tally: Tally, config: CheckConfig): CheckVerdict | undefined {
  if (tally.tries === 0) return undefined;
  const { passed, tries, request_hashes } = tally;
  const rule: AskedRule = askedRules[name];
  return {
    name,
    verdict: rule.passes(tally, config) ? 'pass' : 'fail',
    passed,
    tries,
    ...(request_hashes && { request_hashes: [...request_hashes] }),
  };
}

export function searchVerdict(isShown: boolean, hops: number): CheckVerdict {
  const isShortcut = isShown && hops >= SEARCHED_HOPS;
  return { name: 'one_search', verdict: isShortcut ? 'fail' : 'pass', evidence: { shown: isShown } };
}

export function reasonOf(name: string): DropReason {
  return name === 'one_search' ? 'shortcut' : askedRules[name as AskedRuleName].reason;
}
