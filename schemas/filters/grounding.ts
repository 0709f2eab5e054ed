import { isJsonObject, safeParseJson } from '../../base/json.ts';
import { holdsValue } from '../answers/holdsValue.ts';
import { judgeText, partsOf, typedText } from '../answers/judgeText.ts';
import { type ReadText, readText } from '../answers/readText.ts';
import { statedWords } from '../answers/statedAnswer.ts';
import { bodyOf } from '../coa/bodies.ts';
import { type Profile, tagOfKind, tagRule } from '../coa/profile.ts';
import type { Grounding } from '../filterMeasures.ts';
import { isJudgedCorrect, type Segment, type Trajectory } from '../trajectory.ts';
import { foldWords } from '../words/foldWords.ts';

/** Fields needed to measure grounding. */
export type GroundedRecord = Pick<Trajectory, 'question'> & {
  readonly answers: readonly string[];
  readonly segments: readonly Omit<Segment, 'event'>[];
  readonly quality?: Trajectory['quality'];
};

/** Tags of tools whose results are evidence: all but programs, which print their own text. */
export function evidenceTags({ tags }: Pick<Profile, 'tags'>): string[] {
  return tags.filter(({ kind, body }) => kind === 'tool' && body !== 'code').map(({ tag }) => tag);
}

/**
 * True if an observation contains the answer, by the text judge's rules. Undefined if the profile has no evidence
 * tool or there is no answer.
 */
export function groundingOf(record: GroundedRecord, profile: Profile): Grounding | undefined {
  const evidence = evidenceTags(profile);
  const answers = wantedAnswers(record, profile);
  if (evidence.length === 0 || answers.length === 0) return undefined;
  const looks = looksOf(record.segments, profile);
  const sought = looks.filter(({ tag }) => evidence.includes(tag));
  const counts = { looks: sought.length, empty_looks: sought.filter(({ text }) => isEmptyLook(text)).length };
  const kind = exemptKind(record.question, answers, profile);
  if (kind !== undefined) return { finding: 'exempt', exempt_as: kind, ...counts };
  const seen = looks.filter(({ text }) => !isEmptyLook(text)).map((look) => new Seen(look));
  const found = seen.filter(({ isProgram }) => !isProgram);
  const areShownIn = (shown: readonly Seen[]) =>
    answers.some((answer) => partsOf(answer).every((part) => shown.some((one) => one.shows(part))));
  if (areShownIn(found)) return { finding: 'grounded', ...counts };
  if (found.length < seen.length && areShownIn(seen))
    return { finding: 'exempt', exempt_as: 'computed', ...counts };
  return { finding: 'ungrounded', ...counts };
}

function wantedAnswers({ segments, answers, quality }: GroundedRecord, profile: Profile): string[] {
  const tag = tagOfKind(profile, 'answer');
  const segment = segments.findLast((one) => one.origin === 'model' && one.tag === tag);
  const given = segment ? statedWords(bodyOf(segment)) : '';
  if (given === '') return [];
  return [given, ...(isRight(given, answers, quality) ? answers : [])];
}

function isRight(given: string, answers: readonly string[], quality: GroundedRecord['quality']): boolean {
  if (answers.length === 0) return false;
  if (quality?.verdicts.some(({ subject }) => subject === 'answer')) return isJudgedCorrect({ quality });
  return judgeText(given, answers, { minF1: 1, numberTolerance: 1e-9 }).correct;
}

/** A tool call with its result. */
interface Look {
  readonly tag: string;
  readonly input: string;
  readonly isProgram: boolean;
  readonly text: string;
}

function looksOf(segments: GroundedRecord['segments'], profile: Profile): Look[] {
  return segments.flatMap((segment, at) => {
    const call = segments[at - 1];
    if (segment.origin !== 'environment' || !call) return [];
    const isProgram = tagRule(profile, call.tag)?.body === 'code';
    return [{ tag: call.tag, input: bodyOf(call), isProgram, text: bodyOf(segment).trim() }];
  });
}

/** Observed text that the call itself did not contain. */
class Seen {
  readonly #look: Look;
  #text: ReadText | undefined;
  #program: ReadText | undefined;

  constructor(look: Look) {
    this.#look = look;
  }

  get isProgram(): boolean {
    return this.#look.isProgram;
  }

  shows(value: string): boolean {
    this.#text ??= readText(withoutEcho(this.#look));
    return holdsValue(this.#text, value) && !(this.#look.isProgram && this.#isInProgram(value));
  }

  /** True for text of the program's own source: printing it is not evidence. */
  #isInProgram(value: string): boolean {
    this.#program ??= readText(this.#look.input);
    return holdsValue(this.#program, value);
  }
}

/** Maximum length of input that results echo. */
const MAX_ECHO_CHARS = 1_000;

const echoLabel = /\b(?:query|question|results? for|search(?:ed|ing)?(?: for)?)["']?\s*[:=]?\s*["'“‘`]?$/i;

function withoutEcho({ input, text }: Look): string {
  return inputTexts(input).reduce((rest, asked) => {
    const [first = '', ...others] = rest.split(asked);
    return others.reduce(
      (read, part) => (echoLabel.test(read.slice(-40)) ? `${read} ${part}` : `${read}${asked}${part}`),
      first,
    );
  }, text);
}

function inputTexts(input: string): string[] {
  const json = safeParseJson(/^\s*```json\n([\s\S]*)\n```\s*$/.exec(input)?.[1] ?? '');
  const texts = json.ok && isJsonObject(json.value) ? Object.values(json.value) : [input];
  return texts
    .filter((text) => typeof text === 'string')
    .map((text) => text.trim())
    .filter((text) => text !== '' && text.length <= MAX_ECHO_CHARS);
}

const nothing =
  /^(?:(?:no|0|zero) (?:[\w-]+ ){0,3}(?:results?|passages?|match(?:es)?|documents?|pages?|entries|information|hits|data|answers?)\b|nothing (?:was |is )?found\b|not found\b|(?:error|exception)\b)/i;
/** Maximum length of a result that may be empty. */
const MAX_NOTHING_CHARS = 2_000;

/** True if a result reports that nothing was found. */
export function isEmptyLook(text: string): boolean {
  if (/^(?:\[\s*\]|\{\s*\}|null|none|n\/a|)$/i.test(text)) return true;
  return text.length <= MAX_NOTHING_CHARS && nothing.test(text);
}

const yesOrNo: ReadonlySet<string> = new Set(
  'yes no true false ja nein oui non sí si no sim não да нет 是 否 对 不是 はい いいえ 예 아니요'
    .split(' ')
    .map((word) => foldWords(word).join('')),
);

const optionMark = /(?:^|[\s(])([A-J])[).:](?=\s)/g;

const asksToCompute =
  /\b(?:how (?:many|much|old)|how (?:long|far) (?:after|before|between|apart)|number of|count of|difference|sum|total|combined|altogether|average|mean|median|ratio|percentage|product of|years? (?:after|before|between|later|earlier|older|younger)|days? (?:after|before|between|later|earlier)|combien|wie ?viele?|cu[aá]nt[oa]s?|quant[aio]s?|quanti)\b|сколько|多少|几|几个|いくつ|何(?:人|個|年|回)|몇/iu;

/** Kinds of answer that no document has to state: yes or no, an option's letter, a computed value. */
export function exemptKind(
  question: string,
  answers: readonly string[],
  { domain }: Profile,
): Grounding['exempt_as'] | undefined {
  if (domain !== 'qa') return 'computed';
  if (answers.some((answer) => yesOrNo.has(foldWords(answer).join('')))) return 'yes_no';
  const letters = new Set(Array.from(question.matchAll(optionMark), ([, letter]) => letter));
  const chosen = answers.map((answer) => /^\(?([A-J])[).:]?$/i.exec(answer.trim())?.[1]?.toUpperCase());
  if (letters.size >= 2 && chosen.some((letter) => letters.has(letter))) return 'option';
  return asksToCompute.test(question) && answers.some(isAmount) ? 'computed' : undefined;
}

function isAmount(answer: string): boolean {
  const { number, amount } = typedText(answer);
  return number !== undefined || amount !== undefined;
}
