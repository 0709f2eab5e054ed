import { lastBoxed } from '../coa/answers.ts';
import { normalForm } from '../normalForm.ts';

/** Maximum length; longer texts are prose, and the bound limits the patterns' time. */
const MAX_CHARS = 2_000;

/** Maximum layers of words and marks that are removed. */
const MAX_ROUNDS = 8;

const adverb = '(?:so|thus|hence|therefore|then|consequently|accordingly|finally|in conclusion)';
const noun = '(?:answers?|ans\\.?|solutions?|results?|total|value)';
const told = `(?:(?:the|my|our|your|this|its) )?(?:(?:final|correct|right|exact|required|short|numerical) )?${noun}(?: (?:to|of|for) (?:the|this) (?:question|problem|equation|exercise))?`;

/** Phrases that introduce an answer, each with its required continuation. */
const openings = [
  String.raw`(?:∴|⇒|=>|\\(?:therefore|implies|Rightarrow)(?![a-zA-Z]))[\s,:]*`,
  String.raw`${adverb}\s*[,:]\s*`,
  // `So x = 3`, while "So What" is a title.
  String.raw`${adverb}\s+(?=[-\d$(\[{\\.∞√]|[a-z]\s*[=<>≤≥]|(?:the|my|our|we) )`,
  String.raw`we (?:get|have|find|obtain|conclude)(?: that)?\s*:?\s+(?=[-\d$(\[{\\.∞√]|[a-z]\s*[=<>≤≥])`,
  String.raw`${told}(?:(?: is| are|\s*[:=])(?: therefore| thus)?)(?:\s*[:=])?(?:\*\*)?\s+(?!not\b)`,
  String.raw`${told}(?:\*\*)?\s*[:=](?:\*\*)?\s*`,
  String.raw`(?:option|choice)\s+(?=\(?[a-z]\)?[.\s]*$)`,
  String.raw`#{1,6}\s+`,
  String.raw`=\s*`,
].map((pattern) => new RegExp(`^(?:\\*\\*)?${pattern}`, 'iu'));

const closings = [
  /\s*,\s*(?:therefore|thus|hence|so)[\s.]*$/iu,
  /[\s,;.]*(?:\bQ\.?E\.?D\b\.?|\\(?:blacksquare|square|qed)(?![a-zA-Z])|[∎■□])[\s.]*$/iu,
  /\s*,?\s+as (?:required|desired|needed|requested|claimed|expected|was to be shown)[\s.]*$/iu,
  /\s+(?:is|are) (?:the|my|our) (?:(?:final|correct|right) )?answer[\s.!]*$/iu,
];

/** Marks around a whole answer: quotes, code, Markdown, LaTeX. */
const wrappers: readonly RegExp[] = [
  /^\*\*(?!\*)([^*]+)\*\*\.?$/u,
  /^\*(?!\*)([^*]+)\*\.?$/u,
  /^`+([^`]+)`+\.?$/u,
  /^["“]([^"“”]+)["”]\.?$/u,
  /^\$\$([^$]+)\$\$\.?$/u,
  /^\$([^$]+)\$\.?$/u,
  /^\\\[((?:(?!\\[[\]]).)+)\\\]\.?$/su,
  /^\\\(((?:(?!\\[()]).)+)\\\)\.?$/su,
];

/**
 * Extracts the stated answer: the content of its last box, without surrounding marks (`**5**`, `$5$`), introductions
 * ("Thus, the answer is 5") and trailers ("5, as required"). Never empties a text.
 */
export function statedAnswer(text: string): string {
  let stated = unboxed(text.trim());
  // Runs of white space would cost the patterns the square of their length.
  if (stated.length <= MAX_CHARS) stated = stated.replace(/\s+/g, ' ');
  for (let round = 0; round < MAX_ROUNDS && stated.length <= MAX_CHARS; round++) {
    const before = stated;
    for (const wrapper of wrappers) stated = kept(stated, stated.replace(wrapper, '$1'));
    for (const opening of openings) stated = kept(stated, stated.replace(opening, ''));
    for (const closing of closings) stated = kept(stated, stated.replace(closing, ''));
    stated = plainWordsAtEnds(stated);
    if (stated === before) break;
  }
  return stated;
}

const wordCommand =
  /\\(?:text(?:bf|it|rm|sf|sc|tt|normal)?|math(?:bf|it|rm|sf)|[mh]box|emph|operatorname)\s*\{([^{}]*)\}/g;

/** Stated answer in words, without LaTeX marks: `\text{Ann}~\text{Lee}` becomes Ann Lee. */
export function statedWords(text: string): string {
  const stated = statedAnswer(text);
  if (!stated.includes('\\') && !stated.includes('{,}')) return stated;
  let plain = stated;
  for (let depth = 0; depth < MAX_ROUNDS; depth++) plain = plain.replace(wordCommand, '$1');
  plain = plain
    .replace(/\\[()[\]]|\\!/g, '')
    .replaceAll('{,}', ',')
    .replace(/\\[,;: ]|(?<=\S)~(?=\S)/g, ' ')
    .replace(/\\([%$&#_{}])/g, '$1');
  return statedAnswer(kept(stated, plain));
}

function kept(before: string, after: string): string {
  return after.trim() === '' ? before : after.trim();
}

function unboxed(text: string): string {
  const boxed = text.replace(/\\f(?:rame)?box(?=\s*\{)/g, '\\boxed').replace(/\\boxed\s+(?=\{)/g, '\\boxed');
  const single = /\\boxed\s*([0-9a-zA-Z])(?![^\s$.\\])/.exec(boxed)?.[1];
  return (lastBoxed(boxed) ?? single ?? text).trim();
}

/** Turns `\text{Thus, } 5` into `Thus, 5`: LaTeX words at the ends that introduce or follow an answer. */
function plainWordsAtEnds(text: string): string {
  return text
    .replace(/^\\(?:text|mbox|textbf|mathrm)\s*\{([^{}]*)\}\s*(?=\S)/u, (whole, words: string) =>
      openings.some((opening) => `${words.trim()} 1`.replace(opening, '') === '1')
        ? `${words.trim()} `
        : whole,
    )
    .replace(/\\(?:text|mbox|textbf|mathrm)\s*\{([^{}]*)\}[\s.]*$/u, (whole, words: string) =>
      closings.some((closing) => ` ${words}`.replace(closing, '') === '') ? ` ${words}` : whole,
    );
}

const superscripts = /[ʰ-ʸˠ-ˤᴬ-ᵡᶛ-ᶿ⁰ⁱ⁴-ⁿ²³¹]+/gu;
const subscripts = /[ᵢ-ᵪ₀-ₜ]+/gu;
const raisedFraction = /([⁰¹²³⁴-⁹]+)[⁄/]([₀-₉]+)/g;
/** Single-character fraction with the digit before it: `5½` becomes `5 1/2`. */
const vulgarFraction = /(\d?)([¼-¾⅐-⅞↉])/g;
/** Characters whose compatibility form has another meaning. */
const otherForms: ReadonlyMap<string, string> = new Map([
  ['º', '°'],
  ['٫', '.'],
  ['٬', ','],
]);

/**
 * A text in the characters of a Latin keyboard: digits of every script, full-width and mathematical letters, fractions
 * and signs in one character. `ends` stand around what was raised or lowered, behind `^` or `_`: `10²` is not 102.
 */
export function plainCharacters(
  text: string,
  ends: readonly [open: string, close: string] = ['', ''],
): string {
  const [open, close] = ends;
  const spelled = text
    .replace(
      raisedFraction,
      (_, over: string, under: string) => `${over.normalize('NFKC')}/${under.normalize('NFKC')}`,
    )
    .replace(
      vulgarFraction,
      (_, before: string, char: string) => `${before === '' ? '' : `${before} `}${char.normalize('NFKC')}`,
    )
    .replace(superscripts, (raised) => `^${open}${raised.normalize('NFKC').replace('−', '-')}${close}`)
    .replace(subscripts, (lowered) => `_${open}${lowered.normalize('NFKC').replace('−', '-')}${close}`)
    .replace(/[º٫٬]/g, (char) => otherForms.get(char)!);
  return normalForm(spelled, 'NFKC')
    .replaceAll('⁄', '/')
    .replace(/(?![0-9])\p{Nd}/gu, latinDigit);
}

/** Digits of a script are consecutive from 0 to 9. */
function latinDigit(digit: string): string {
  const point = digit.codePointAt(0)!;
  let below = 0;
  while (below < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - below - 1))) below += 1;
  return `${below}`;
}
