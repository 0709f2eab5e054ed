import type { JsonObject } from '../../../base/json.ts';
import type { Fact } from '../../../schemas/taskSynthesis.ts';
import { parseCalendarDate } from '../../../schemas/words/calendarDate.ts';
import { foldWords } from '../../../schemas/words/foldWords.ts';
import { parsePlainNumber } from '../../../schemas/words/plainNumber.ts';
import { termKey } from '../form/termKey.ts';
import type { Examined } from './examined.ts';

/** Longest answer that is one value and not a sentence. */
const MAX_ANSWER_WORDS = 10;

/** More than one line, cell or sentence; `Donald E. Westlake` and `St. Andre` are one. */
const several = /[\n;|]|(?<!\b\p{Lu}\p{L}{0,3})[.!?]\s+\p{Lu}|[!?]$/u;

const noValue =
  /^(?:yes|no|true|false|unknown|none|nothing|n\/?a|not (?:stated|given|known|mentioned)|various|several)$/i;

/** An answer that is not one short value of its type. */
export function wrongShape({ candidate: { answers, chain, form } }: Examined): JsonObject | undefined {
  const answer = answers[0]!;
  const type = form.ask === 'count' ? 'number' : typeOf(answer, chain);
  const isTyped =
    type === 'number'
      ? parsePlainNumber(answer) !== undefined
      : type !== 'date' || parseCalendarDate(answer) !== undefined || /^\d{3,4}$/.test(answer);
  const words = foldWords(answer).length;
  const isOne = !several.test(answer) && !noValue.test(answer.trim());
  return isTyped && isOne && words > 0 && words <= MAX_ANSWER_WORDS ? undefined : { answer, type };
}

function typeOf(answer: string, chain: readonly Fact[]): string {
  const key = termKey(answer);
  return chain.find(({ value }) => termKey(value) === key)?.type ?? 'entity';
}
