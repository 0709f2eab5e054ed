import { plainCharacters } from '../../../schemas/answers/statedAnswer.ts';
import { findUnits } from '../../../schemas/answers/units.ts';

/** Sets that compatibility forms would make letters of. */
const doubleStruck: Readonly<Record<string, string>> = { ℝ: 'R', ℤ: 'Z', ℕ: 'N', ℚ: 'Q', ℂ: 'C' };

/** What people type for LaTeX commands. */
const unicodeForms: Readonly<Record<string, string>> = {
  '−': '-',
  '–': '-',
  '×': '\\times ',
  '·': '\\cdot ',
  '⋅': '\\cdot ',
  '∗': '*',
  '÷': '/',
  π: '\\pi ',
  '∞': '\\infty ',
  '∪': '\\cup ',
  '∩': '\\cap ',
  '∖': '\\setminus ',
  '∈': '\\in ',
  '±': '\\pm ',
  '√': '\\sqrt ',
  '∛': '\\sqrt[3] ',
  '⟨': '\\langle ',
  '⟩': '\\rangle ',
  '°': '^\\circ ',
  θ: '\\theta ',
  α: '\\alpha ',
  β: '\\beta ',
  '≤': '\\le ',
  '⩽': '\\le ',
  '≥': '\\ge ',
  '⩾': '\\ge ',
  '≠': '\\ne ',
  '∅': '\\emptyset ',
};

/** `0.3̇`. */
const dotted = /(\d)\u0307/g;
const unicodePattern = new RegExp(`[${Object.keys(unicodeForms).join('')}]`, 'gu');
/** `√16`, of which LaTeX would take one digit. */
const typedRoot = /(√|∛|(?<![\\a-zA-Z])sqrt)\s*(\d+(?:\.\d+)?)/g;

const sizing = /\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits|boxed)(?![a-zA-Z])\.?/g;
const textCommand = /\\(?:text|mbox|hbox|textbf|textit|textrm|mathrm|operatorname)\s*\{([^{}]*)\}/g;
const fontCommand = /\\(?:mathbf|mathit|mathsf|mathcal|boldsymbol|bm)(?![a-zA-Z])/g;
const functionName = '(?:arc)?(?:sin|cos|tan)|cot|sec|csc|ln|log|exp|sqrt|pi';
const degrees = /\^\s*\{?\s*\\(?:circ|degree)(?![a-zA-Z])\s*\}?|\\degree(?![a-zA-Z])/g;
const celsius =
  /(?:\^\s*\{?\s*\\(?:circ|degree)\s*\}?|\\degree)\s*(?:\\(?:text|mathrm)\s*\{\s*([CF])\s*\}|([CF])(?![a-zA-Z]))/g;
/** What may be a unit behind a number. */
const unitTail =
  /(?<=[\d)}])(\s*)([a-zA-Z][a-zA-Z0-9^{}]*(?:(?: ?\/ ?|\.?\s)[a-zA-Z][a-zA-Z0-9^{}]*)*)(?=[\s.]*$)/g;
/** Symbols of two letters that are not a product of letters where a space stands before them, and those that never are. */
const symbol = /^(?:in|lbs?|oz|m[lL]|hrs?|yd|mi|min|sec|[kMG]?Hz|[kMG]W)(?:\^?\{?[23]\}?)?$/;
const plainSymbol = /^(?:[ckm]m|kg|ft)(?:\^?\{?[23]\}?)?$/i;
/** A noun behind a number, which is not a product of letters. */
const noun = /(?<=[\d}])\s+((?!abc)(?:[a-z]{4,}|(?=[a-z]*[aeiou])[a-z]{3})(?:\s+[a-z]+)*)(?=[\s.]*$)/gi;
const scaleWord = /(?<=\d)\s*(?:\\text\{\s*)?\b(dozen|thousand|million|billion|trillion)\b(?:\s*\})?/gi;
const scales: Readonly<Record<string, string>> = {
  dozen: '12',
  thousand: '10^{3}',
  million: '10^{6}',
  billion: '10^{9}',
  trillion: '10^{12}',
};
const dollars = /(-?)\\USD\s*(-?[\d.,]*\d(?: \\cdot 10\^\{\d+\})?)/g;
const thinSpace = /\\!\s*/g;
/** Two points or more say that digits go on. */
const endOfSentence = /(?<![.,;])(?![.,;]*\.\.)[.,;]+$/;
const space = /(?<!\\)\\[,;:> ]|(?<!\\)\\q?quad(?![a-zA-Z])|~/g;
const thousands = /(?<=\d)(?:\\[, ]|\{,\}|,\\!\s*)(?=\d{3}(?!\d))/g;
/** `2 850 213` and `2'850'213`, where a number may begin; `1 100/200` is a mixed number. */
const gaps =
  /(?<=(?:^|[=(,;<>$[]|\\[gln]eq?(?:slant)?)\s*-?)[1-9]\d{0,2}([ '’_])\d{3}(?:\1\d{3})*(?!\1?\d|,\d|\s*\/|\s*\\frac)/g;
const currencies: Readonly<Record<string, string>> = { '€': 'eur', '£': 'gbp', '¥': 'jpy', '₹': 'inr' };
/** A dollar sign that ends a formula or stands before something else than a number. */
const texMark = /[^\s,;(-]\$|\$(?!\s*-?\.?\d)/;

/** Dollar signs that all stand before numbers are money. */
function bareDollars(text: string): string {
  const plain = text.replaceAll('US$', '$');
  return texMark.test(plain) ? text : plain.replaceAll('$', '\\USD ');
}

/** `]0,1[`, where a set may begin and end. */
const reversedInterval =
  /(?<=(?:^|[=,;]|\\(?:cup|cap|setminus|in)(?![a-zA-Z]))\s*)([[\]])([^[\],;]+[,;][^[\],;]+)([[\]])(?=[\s.]*$|\s*[,;]|\s*\\(?:cup|cap|setminus|text))/g;

/** `\frac{\text{m}}{\text{s}^2}` behind a number. */
const unitFraction =
  /(?<=[\d)}])\s*\\frac\s*\{\s*\\text\{\s*([^{}]+?)\s*\}\s*\}\s*\{\s*\\text\{\s*([^{}]+?)\s*\}(\^\d)?\s*\}/g;

/** A unit vector, with or without its hat. */
const unitVector =
  /\\(?:hat|widehat|vec)\s*(?:\{\s*(?:\\([ij])math|([ijk]))\s*\}|(?:\\([ij])math|(?<=\s)([ijk]))(?![a-zA-Z]))/g;

/** The steps in order; each makes spellings of one thing alike. */
const steps: readonly (readonly [RegExp, string | ((...match: string[]) => string)])[] = [
  [/\\\$/g, '\\USD '],
  [/(?<!\\)\\[()[\]]/g, ''],
  [/^.*\$.*$/s, bareDollars],
  [/\$/g, ''],
  [/(?<!\d)0\{,\}(?=\d)/g, '0.'],
  [thousands, ''],
  [/(?<=\d)\{,\}(?=\d)/g, '.'],
  [gaps, (number) => number!.replace(/\D/g, '')],
  [scaleWord, (_, word) => ` \\cdot ${scales[word!.toLowerCase()]}`],
  [dollars, '$1$2\\text{dollars}'],
  [/\\USD /g, ''],
  [/([€£¥₹])\s*(\d[\d.,]*)/g, '$2$1'],
  [/\s*([€£¥₹])/g, (_, sign) => `\\text{${currencies[sign!]}}`],
  // `~5` is about 5; elsewhere a tilde is a space.
  [/^\s*~/g, '\\sim '],
  [thinSpace, ''],
  [space, ' '],
  [sizing, ''],
  [fontCommand, ''],
  [
    reversedInterval,
    (_, open, limits, close) => `${open === ']' ? '(' : '['}${limits}${close === '[' ? ')' : ']'}`,
  ],
  [/\{\s*(\d+)\s*\\over\s*(\d+)\s*\}/g, '\\frac{$1}{$2}'],
  [unitVector, '$1$2$3$4 '],
  [celsius, '\\text{degrees $1$2}'],
  [/\\[dtc]frac(?![a-zA-Z])/g, '\\frac'],
  [/\\[dt]binom(?![a-zA-Z])/g, '\\binom'],
  [/\\varnothing(?![a-zA-Z])/g, '\\emptyset'],
  [/\\(?:lor|vee|land|wedge)(?![a-zA-Z])/g, ','],
  [/\\(?:mid|vert)(?![a-zA-Z])/g, '|'],
  [/\\pi(?=[a-zA-Z])/g, '\\pi '],
  [new RegExp(`\\\\(?:operatorname|mathrm|text)\\s*\\{(${functionName})\\}`, 'g'), '\\$1 '],
  [new RegExp(`(?<![\\\\a-zA-Z])(${functionName}|infinity)(?![a-zA-Z])`, 'g'), '\\$1 '],
  [/\\infinity(?![a-zA-Z])/g, '\\infty'],
  [/\\mathrm\{([a-zA-Z])\}/g, '$1 '],
  [degrees, '\\text{degrees}'],
  [/\\?%/g, '\\text{percent}'],
  [textCommand, '\\text{$1}'],
  [unitFraction, (_, over, under, power) => `\\text{${over}/${under}${power ?? ''}}`],
  [/\\text\{\s*(-?\d[\d.]*)\s*([^{}]*)\}/g, '$1\\text{$2}'],
  [/\\overline\{([A-Z]{2})\}/g, '$1'],
  [/\\angle(?![a-zA-Z])/g, ''],
  [/\\text\{\s*(?:and|or|,)\s*\}/g, ','],
  [/\\text\{\s*\(?(\w)\)?\s*(?:,|and|or)\s*\(?(\w)\)?\s*\}/g, '$1,$2'],
  [/^\s*\*\*|\*\*\s*$/g, ''],
  [/\*\*/g, '^'],
  [/(?<=\d)e([+-]?\d{1,3})(?![\d.a-zA-Z])/gi, ' \\cdot 10^{$1}'],
  [/<=/g, '\\le '],
  [/>=/g, '\\ge '],
  [unitTail, unitText],
  [noun, '\\text{$1}'],
  [/\\text\{\s*([^{}]*?)\s*\}/g, '\\text{$1}'],
  [/\s+/g, ' '],
];

/**
 * A mathematical answer in one spelling: no sizing, spacing or dollar signs, one kind of fraction, units as
 * `\text{...}` at the end, no thousands separators. Equal answers may still differ; different ones stay different.
 */
export function normaliseLatex(text: string): string {
  const sets = text.toWellFormed().replace(/[ℝℤℕℚℂ]/g, (char) => `\\mathbb{${doubleStruck[char]}}`);
  const typed = plainCharacters(sets, ['{', '}'])
    .replace(typedRoot, '$1{$2}')
    .replace(unicodePattern, (char) => unicodeForms[char]!)
    .replace(dotted, '\\dot{$1}');
  const spelled = steps
    .reduce((seen, [pattern, form]) => seen.replace(pattern, form as string), typed)
    .trim();
  return withoutSpaces(withoutSeparators(withoutConjunctions(spelled))).replace(endOfSentence, '');
}

/** A unit behind a number as `\\text{...}`; what may be a product of letters stays. */
function unitText(whole: string, space: string, tail: string): string {
  const isUnit =
    plainSymbol.test(tail) || (space !== '' && symbol.test(tail)) || /[a-zA-Z]{3}|\/|^(?:sq|cu)\b/.test(tail);
  return isUnit && findUnits(tail.replace(/[{}]/g, '')).length > 0
    ? `\\text{${tail.replace(/[{}]/g, '')}}`
    : whole;
}

/** `x=1 or x=2` is a list; in prose `and` is a word like others. */
function withoutConjunctions(text: string): string {
  const isProse = /[a-zA-Z]{3}/.test(text.replace(/\\text\{[^{}]*\}|\\[a-zA-Z]+|\b(?:and|or)\b/g, ''));
  return isProse ? text : outsideWords(text, (part) => part.replace(/(?<=[^,\s])\s(?:and|or)\s(?=\S)/g, ','));
}

/**
 * Drops spaces but those that hold things apart: a command from a letter, a word from a word, a number from a number
 * (`1, 200` is not `1,200`), and those inside `\text`.
 */
function withoutSpaces(text: string): string {
  return outsideWords(text, (part) => part.replace(/ /g, keepsApart));
}

/** Changes what stands outside of `\text{...}`. */
function outsideWords(text: string, change: (part: string) => string): string {
  return text
    .split(/(\\text\{[^{}]*\})/)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');
}

function keepsApart(space: string, at: number, text: string): string {
  const before = text.slice(Math.max(0, at - 30), at);
  const after = text[at + 1] ?? '';
  const commandThenLetter = /\\[a-zA-Z]+$/.test(before) && /[a-zA-Z]/.test(after);
  const wordThenWord =
    (/[a-zA-Z]{2}$/.test(before) && /[a-zA-Z]/.test(after)) ||
    (/(?<![\\a-zA-Z\d)}])[aA]$/.test(before) && /^[a-zA-Z]{3}/.test(text.slice(at + 1, at + 4)));
  const digitThenDigit = /\d$/.test(before) && /\d/.test(after) && !/\\frac\d$/.test(before);
  const listed = /\d,$/.test(before) && /\d/.test(after);
  return listed || commandThenLetter || wordThenWord || digitThenDigit ? space : '';
}

/** `1,200` is one number, `(1,200)` is a pair: commas inside brackets always separate. */
function withoutSeparators(text: string): string {
  if (/[([{]/.test(text.replace(/\\text\{[^{}]*\}/g, ''))) return text;
  return text.replace(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(',', ''));
}
