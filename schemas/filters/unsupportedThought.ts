import { holdsValue } from '../answers/holdsValue.ts';
import { type ReadText, readText } from '../answers/readText.ts';
import { bodyOf } from '../coa/bodies.ts';
import { type Profile, tagOfKind } from '../coa/profile.ts';
import type { UnsupportedThought } from '../filterMeasures.ts';
import type { Trajectory } from '../trajectory.ts';
import { parseCalendarDate } from '../words/calendarDate.ts';
import { foldWords } from '../words/foldWords.ts';
import { evidenceTags } from './grounding.ts';

/** Fields needed to measure unsupported thoughts. */
type ThoughtRecord = Pick<Trajectory, 'question' | 'segments'> & Partial<Pick<Trajectory, 'system' | 'user'>>;

const MAX_EXAMPLES = 5;

/**
 * Numbers and names in thoughts that neither the prompt nor an earlier observation contains. Undefined if the profile
 * has no evidence tool, or does not answer questions.
 */
export function unsupportedThoughtOf(
  { question, system = '', user = '', segments }: ThoughtRecord,
  profile: Profile,
): UnsupportedThought | undefined {
  if (profile.domain !== 'qa' || evidenceTags(profile).length === 0) return undefined;
  const thinking = tagOfKind(profile, 'thinking');
  const known = new KnownTexts([system, user, question]);
  const found = new Set<string>();
  for (const segment of segments) {
    if (segment.origin === 'environment') known.add(bodyOf(segment));
    else if (segment.tag === thinking)
      for (const value of unknownIn(bodyOf(segment), known)) found.add(value);
  }
  return { values: found.size, examples: [...found].slice(0, MAX_EXAMPLES) };
}

class KnownTexts {
  readonly #texts: ReadText[] = [];
  readonly #words = new Set<string>();

  constructor(texts: readonly string[]) {
    for (const text of texts) this.add(text);
  }

  add(text: string): void {
    const read = readText(text);
    this.#texts.push(read);
    for (const { word } of read.words) this.#words.add(word);
  }

  holdsWords(name: string): boolean {
    return foldWords(name).every((word) => this.#words.has(word));
  }

  holdsNumber(number: string): boolean {
    return this.holdsWords(number) || this.#texts.some((text) => holdsValue(text, number));
  }
}

function unknownIn(thought: string, known: KnownTexts): string[] {
  const numbers = [...new Set(Array.from(thought.matchAll(number), ([found]) => found))];
  const values = numbers.map((text) => Number(text.replaceAll(',', '')));
  return [
    ...numbers.filter(
      (text, at) => !isSmall(values[at]!) && !isWorkedOut(values, at) && !known.holdsNumber(text),
    ),
    ...namesIn(thought).filter((name) => !known.holdsWords(name)),
  ];
}

const number = /(?<![\p{L}\p{N}.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\p{N}])/gu;

/** Maximum number that is ignored: counts of steps, hops and sources are not facts. */
const MAX_SMALL = 12;

function isSmall(value: number): boolean {
  return Number.isInteger(value) && value <= MAX_SMALL;
}

/** True if a number is the sum or difference of two others in the same thought. */
function isWorkedOut(values: readonly number[], at: number): boolean {
  const others = values.filter((_, place) => place !== at);
  return others.some((a, first) =>
    others.some((b, second) => first !== second && (a + b === values[at] || a - b === values[at])),
  );
}

const capital = String.raw`\p{Lu}[\p{L}\p{M}\p{N}'’.-]*[\p{L}\p{M}\p{N}]`;
const names = new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}])${capital}(?: ${capital})*`, 'gu');
const sentenceStart = /(?:^|[.!?:;\n–—-]|\d[.)])["'“‘(*_\s]*$/;

/** Capitalised word runs, without a sentence's first word, which need not be a name. */
function namesIn(thought: string): string[] {
  return Array.from(thought.matchAll(names)).flatMap(({ 0: run, index }) => {
    const words = run.split(' ');
    const before = thought.slice(Math.max(0, index - 8), index);
    const kept = index < 1 || sentenceStart.test(before) ? words.slice(1) : words;
    const name = kept.filter((word) => !isNoName(word)).join(' ');
    return name === '' ? [] : [name];
  });
}

/** True for `I'm`, and for months and weekdays, which are facts only with a number. */
function isNoName(word: string): boolean {
  return /^I['’]/.test(word) || parseCalendarDate(`${word} 1900`) !== undefined || weekday.test(word);
}

const weekday = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day/;
