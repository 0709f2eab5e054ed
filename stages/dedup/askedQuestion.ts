import { foldedText } from '../../schemas/normalForm.ts';
import {
  type AskedWords,
  askedWords,
  differ,
  isDistinguishing,
} from '../../schemas/words/distinguishingWords.ts';
import { foldWords } from '../../schemas/words/foldWords.ts';
import { isMisspelling, isTransposed } from '../../schemas/words/spelling.ts';

/** What a record asks, and what is right. */
export interface AskedQuestion {
  readonly question: string;
  /** Gold answers, any of which is right; empty where none is known. */
  readonly answers: readonly string[];
  /** False: another number does not make another question. */
  readonly sameNumbers?: boolean;
}

/** A question as it is compared. */
export interface ReadQuestion {
  readonly words: AskedWords;
  readonly answers: ReadonlySet<string>;
}

/** Of so many telling words one may be another: in fewer, a word that is not a synonym makes another question. */
const WORDS_PER_CHANGE = 10;

/** Reads a question, to compare it with others. */
export function readQuestion(asked: AskedQuestion): ReadQuestion {
  return {
    words: askedWords(foldWords(countedText(asked)).loose),
    answers: answerSet(asked.answers),
  };
}

/** Numbers in digits, which `same_numbers: false` leaves out of account. */
const digits = /\p{N}+/gu;

function countedText({ question, sameNumbers }: AskedQuestion): string {
  return sameNumbers === false ? question.replace(digits, '0') : question;
}

/** Gold answers without what makes no other answer: case, white space, an article before them, a full stop behind. */
export function answerSet(answers: readonly string[]): ReadonlySet<string> {
  return new Set(
    answers.map((answer) =>
      foldedText(answer)
        .replace(/^(?:the|an?) (?=.)/, '')
        .replace(/(?<=.)\.$/, ''),
    ),
  );
}

/** Whether gold answers of both are known and no answer is right for both. */
export function haveOtherAnswers(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && b.size > 0 && ![...a].some((answer) => b.has(answer));
}

/**
 * Whether two questions of similar texts ask the same. They don't where no gold answer is right for both, where a name,
 * number, opposite, negation or word of order is in one alone, and where too many other words were exchanged. Where no
 * answer is known and nothing shows which words are names, none may be exchanged, or misspelled but for two letters that changed places.
 */
export function askTheSame(a: ReadQuestion, b: ReadQuestion): boolean {
  if (haveOtherAnswers(a.answers, b.answers)) return false;
  const length = Math.min(a.words.telling.length, b.words.telling.length);
  const isCertain = (a.answers.size > 0 && b.answers.size > 0) || showNames(a.words) || showNames(b.words);
  const isName = (word: string) =>
    !isDistinguishing(word) && (a.words.distinguishing.has(word) || b.words.distinguishing.has(word));
  const isSlip = (word: string, other: string) =>
    isTransposed(word, other) || (isCertain && !isName(word) && !isName(other) && isMisspelling(word, other));
  const { isOther, onlyFirst, onlySecond } = differ(a.words, b.words, isSlip);
  const exchanged = Math.min(onlyFirst.length, onlySecond.length);
  return !isOther && exchanged <= (isCertain ? length / WORDS_PER_CHANGE : 0);
}

/** Whether a text shows which words are names: by capitals, or by having none in sentences that are long enough. */
function showNames({ casing, telling }: AskedWords): boolean {
  return casing === 'names' || (casing === 'sentences' && telling.length >= WORDS_PER_CHANGE);
}

/**
 * How a question is compared: with those of the same numbers alone, which keeps those of one template from meeting.
 *
 * @param text what is compared by its shingles; absent: the question
 */
export function comparedQuestion(
  { question, answers, sameNumbers = true }: AskedQuestion,
  { text = question, profile = '' } = {},
) {
  const numbers = sameNumbers ? (question.normalize('NFKC').match(digits) ?? []) : [];
  return {
    text,
    asked: { question, answers, sameNumbers },
    group: [profile, ...numbers.toSorted()].join('\n'),
  };
}
