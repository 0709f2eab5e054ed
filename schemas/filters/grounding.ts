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

/** What grounding is measured of. */
export type GroundedRecord = Pick<Trajectory, 'question'> & {
  readonly answers: readonly string[];
  readonly segments: readonly Omit<Segment, 'event'>[];
  readonly quality?: Trajectory['quality'];
};

/** The tags of tools whose results are evidence: all but programs, which print what they were told to. */
export function evidenceTags({ tags }: Pick<Profile, 'tags'>): string[] {
  return tags.filter(({ kind, body }) => kind === 'tool' && body !== 'code').map(({ tag }) => tag);
}

/**
 * Whether an observation holds the answer, as the text judge reads values. Undefined where the profile has no tool that
 * brings evidence, and where there is no answer.
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

/** The answer, and where it is right the gold answers, which are its other names. */
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

/** What an observation shows that its call did not say. */
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

  /** A program that prints its own words has looked at nothing. */
  #isInProgram(value: string): boolean {
    this.#program ??= readText(this.#look.input);
    return holdsValue(this.#program, value);
  }
}

/** Longer inputs are not repeated in results. */
const MAX_ECHO_CHARS = 1_000;

const echoLabel = /\b(?:query|question|results? for|search(?:ed|ing)?(?: for)?)["']?\s*[:=]?\s*["'“‘`]?$/i;

/** An observation without its call's input, where it names that as what was asked for. */
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
/** Longer results hold something. */
const MAX_NOTHING_CHARS = 2_000;

/** Whether a result says that there is nothing. */
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

/** The kind of answer that no document need state: yes or no, an option's letter, what is computed. */
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
