import { Counts } from '../../base/counts.ts';
import type { ContaminationRule } from '../../schemas/config/decontaminate.ts';
import type { BenchmarkRow, Contamination } from '../../schemas/contamination.ts';
import { type FoldedWords, foldWords, type WordForms } from '../../schemas/words/foldWords.ts';
import { areOneQuestion, type FuzzyKey, keysOfAsked, keysOfBenchmark } from './fuzzyKeys.ts';
import { type NgramSet, ngramMatch, ngramSet, sharedNgrams } from './ngramRule.ts';
import { QuestionStore } from './questionStore.ts';
import { canStandInside, sameFormula, sentencesOf, standsApart } from './standsApart.ts';
import {
  forEachRun,
  hashOfWords,
  longQuestion,
  NgramTable,
  type RowsOfHash,
  shortNgram,
} from './wordHash.ts';

/** Candidates that are compared word by word: those that the hashes say share most. More would find nothing more. */
const MAX_COMPARED = 8;
/** An n-gram that stands in more than a twentieth of all questions, and in more than three, is a formula. */
const QUESTIONS_PER_FORMULA = 20;
const MIN_QUESTIONS_OF_FORMULA = 3;
const MAX_SHARED_CHARS = 500;

type FormName = keyof WordForms;
const formNames = ['loose', 'tight'] as const satisfies readonly FormName[];

/**
 * Most benchmark questions that an 8-gram may stand in: in more, or in more than three and a twentieth of them, it is a
 * formula and counts for nothing.
 */
const MAX_QUESTIONS_PER_NGRAM = 10;

/**
 * An index of benchmark questions. Held in memory are hashes of n-grams and a few numbers a question; the questions
 * lie in a temporary file and are read again for those that hashes point at: a hit is always one of true words.
 */
export class BenchmarkIndex {
  readonly #rule: ContaminationRule;
  readonly #table: NgramTable;
  readonly #questions = new QuestionStore();
  /** 8-grams of each question. */
  readonly #ngrams: number[] = [];
  /** Lengths in words of short questions, for either form. */
  readonly #shortLengths: Readonly<Record<FormName, Set<number>>> = { loose: new Set(), tight: new Set() };
  constructor(rule: ContaminationRule) {
    this.#rule = rule;
    this.#table = new NgramTable(MAX_QUESTIONS_PER_NGRAM);
  }

  /** Different questions. */
  get questions(): number {
    return this.#questions.count;
  }

  /** Adds a benchmark's question. One whose words are those of an earlier one is left out. */
  add(question: string, place: BenchmarkRow): void {
    const forms = foldWords(question);
    if (forms.loose.words.length === 0) return;
    if (this.#wholeMatch(forms.loose, 'loose', question) !== undefined) return;
    const number = this.#questions.add(question, place);
    this.#ngrams.push(Math.max(0, forms.loose.words.length - shortNgram + 1));
    for (const name of formNames) this.#index(number, forms[name], name);
  }

  /** What of a question stands in a benchmark; undefined for a clean one. */
  find(question: string): Contamination | undefined {
    const forms = foldWords(question);
    if (forms.loose.words.length === 0) return undefined;
    const ways: ((form: FoldedWords, name: FormName) => Contamination | undefined)[] = [
      (form, name) => this.#findWhole(form, name, question),
      (form, name) => this.#findInside(form, name),
      (form, name) => this.#findNgrams(form, name),
      (form, name) => (this.#rule.fuzzy ? this.#findFuzzy(form, name) : undefined),
    ];
    for (const way of ways) {
      for (const name of formNames) {
        const found = way(forms[name], name);
        if (found) return found;
      }
    }
    return undefined;
  }

  /** Gives the temporary file back. */
  close(): void {
    this.#questions.close();
  }

  #index(number: number, form: FoldedWords, name: FormName): void {
    const { words } = form;
    this.#table.add(hashOfWords(words, 'question'), number);
    forEachRun(form, 'ngram', shortNgram, (hash) => this.#table.add(hash, number));
    if (words.length < shortNgram) this.#shortLengths[name].add(words.length);
    for (const { hash } of keysOfBenchmark(form)) this.#table.add(hash, number);
  }

  #rowsOf(hash: number): readonly number[] {
    const rows = this.#table.rowsOf(hash);
    return rows === 'formula' ? [] : rows;
  }

  /** In a small benchmark fewer questions make an n-gram a formula. */
  #ngramRows(hash: number): RowsOfHash {
    const rows = this.#table.rowsOf(hash);
    const most = Math.max(MIN_QUESTIONS_OF_FORMULA, this.questions / QUESTIONS_PER_FORMULA);
    return rows !== 'formula' && rows.length > most ? 'formula' : rows;
  }

  #findWhole(form: FoldedWords, name: FormName, question: string): Contamination | undefined {
    const number = this.#wholeMatch(form, name, question);
    return number === undefined ? undefined : this.#wholeHit(number, 'exact', form.words.length);
  }

  #wholeMatch(form: FoldedWords, name: FormName, question: string): number | undefined {
    return this.#rowsOf(hashOfWords(form.words, 'question')).find((number) => {
      const text = this.#questions.textOf(number);
      const other = foldWords(text)[name];
      return equal(form.words, other.words) && sameFormula(form, question, text);
    });
  }

  /** A short question as a sentence of a longer one. */
  #findInside(form: FoldedWords, name: FormName): Contamination | undefined {
    for (const length of this.#shortLengths[name]) {
      const number = this.#insideMatch(form, name, length);
      if (number !== undefined) return this.#wholeHit(number, 'exact', length);
    }
    return undefined;
  }

  #insideMatch(form: FoldedWords, name: FormName, length: number): number | undefined {
    let found: number | undefined;
    forEachRun(form, 'question', length, (hash, start) => {
      if (found !== undefined) return;
      const rows = this.#rowsOf(hash);
      if (rows.length === 0) return;
      const apart = standsApart(form, start, length);
      const span = form.text.slice(form.starts[start], form.ends[start + length - 1]);
      const words = form.words.slice(start, start + length);
      found = rows.find((number) => {
        const text = this.#questions.textOf(number);
        const forms = foldWords(text);
        if (!canStandInside(forms.loose, apart)) return false;
        return equal(words, forms[name].words) && sameFormula(form, span, text);
      });
    });
    return found;
  }

  /** The same telling words but for one at most, in the question or in one of its sentences. */
  #findFuzzy(form: FoldedWords, name: FormName): Contamination | undefined {
    const whole = this.#fuzzyHit(form, name, false);
    if (whole) return whole;
    for (const sentence of sentencesOf(form)) {
      const part = this.#fuzzyHit(sentence, name, true);
      if (part) return part;
    }
    return undefined;
  }

  #fuzzyHit(form: FoldedWords, name: FormName, isPart: boolean): Contamination | undefined {
    // Function words come on top of the telling ones, but not without end.
    if (form.words.length >= 2 * longQuestion) return undefined;
    for (const key of keysOfAsked(form, isPart)) {
      const number = this.#rowsOf(key.hash).find((row) => this.#isFuzzyMatch(form, name, key, row));
      if (number !== undefined) return this.#wholeHit(number, 'fuzzy', form.words.length);
    }
    return undefined;
  }

  #isFuzzyMatch(form: FoldedWords, name: FormName, key: FuzzyKey, row: number): boolean {
    const text = this.#questions.textOf(row);
    const other = foldWords(text)[name];
    const hasKey = keysOfBenchmark(other).some(
      ({ kind, words }) => kind === key.kind && equal(words(), key.words()),
    );
    const asked = form.text.slice(form.starts[0], form.ends.at(-1));
    return hasKey && sameFormula(form, asked, text) && areOneQuestion(form, other, key);
  }

  #findNgrams(form: FoldedWords, name: FormName): Contamination | undefined {
    const shared = new Counts<number>();
    const asked = ngramSet(form, (hash) => {
      const rows = this.#ngramRows(hash);
      if (rows === 'formula') return true;
      for (const number of rows) shared.add(number);
      return false;
    });
    for (const number of this.#candidates(asked, shared)) {
      const hit = this.#compare(asked, number, name);
      if (hit) return hit;
    }
    return undefined;
  }

  /** Questions by the share of 8-grams that the hashes say both have, the greatest first. */
  #candidates({ places, formulae }: NgramSet, shared: ReadonlyMap<number, number>): number[] {
    const asked = places.size - formulae.size;
    const share = (number: number) =>
      shared.get(number)! / Math.max(1, Math.min(asked, this.#ngrams[number]!));
    return [...shared.keys()].sort((a, b) => share(b) - share(a) || a - b).slice(0, MAX_COMPARED);
  }

  #compare(asked: NgramSet, number: number, name: FormName): Contamination | undefined {
    const form = foldWords(this.#questions.textOf(number))[name];
    const shared = sharedNgrams(
      asked,
      ngramSet(form, (hash) => this.#ngramRows(hash) === 'formula'),
    );
    const match = ngramMatch(asked.form, form, shared, this.#rule.min_share);
    if (!match) return undefined;
    const { start, length } = shared.run;
    const shared_text = cut(form.text.slice(form.starts[start], form.ends[start + length - 1]));
    return { ...this.#questions.placeOf(number), kind: 'ngram', ...match, shared_text };
  }

  #wholeHit(number: number, kind: 'exact' | 'fuzzy', n: number): Contamination {
    const shared_text = cut(this.#questions.textOf(number).toWellFormed());
    return { ...this.#questions.placeOf(number), kind, n, share: 1, shared_text };
  }
}

function equal(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, at) => word === b[at]);
}

/** Not within a character of two code units. */
function cut(text: string): string {
  return text.length <= MAX_SHARED_CHARS ? text : `${text.slice(0, MAX_SHARED_CHARS).toWellFormed()}…`;
}
