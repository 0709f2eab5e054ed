import type { DropReason } from '../../../schemas/dropReasons.ts';
import type { CheckVerdict } from '../../../schemas/taskSynthesis.ts';
import type { CheckConfig } from '../../synthesizeConfig.ts';

/** How often something came out, of all asks that were answered. An ask that failed is in neither number. */
export interface Tally {
  readonly passed: number;
  readonly tries: number;
  readonly request_hashes?: readonly string[];
}

/** A check that asks models: what its tally counts, and when a candidate passes it. */
export interface AskedRule {
  readonly reason: DropReason;
  /** What `passed` counts. */
  readonly counts: string;
  passes(tally: Tally, config: CheckConfig): boolean;
}

const rate = ({ passed, tries }: Tally) => passed / tries;
/** Whether more than half came out so. */
export const isMajority = (tally: Tally) => rate(tally) > 0.5;

/** From these hops on one search must not show the answer; below it is only noted. */
const SEARCHED_HOPS = 3;

/** The checks that ask models or tools, cheap to dear. */
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
 * The verdict of a check on its tally; undefined where no ask was answered: that is not a verdict.
 *
 * @param name - The rule; `alternatives` and `without_hop` are made once a wrong answer and once a hop
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

/** The verdict on one search by the question's own words. */
export function searchVerdict(isShown: boolean, hops: number): CheckVerdict {
  const isShortcut = isShown && hops >= SEARCHED_HOPS;
  return { name: 'one_search', verdict: isShortcut ? 'fail' : 'pass', evidence: { shown: isShown } };
}

/** Why a failed check drops a candidate. */
export function reasonOf(name: string): DropReason {
  return name === 'one_search' ? 'shortcut' : askedRules[name as AskedRuleName].reason;
}
