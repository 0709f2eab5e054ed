import { plainCharacters } from '../../../schemas/answers/statedAnswer.ts';
import { findUnits } from '../../../schemas/answers/units.ts';

/** Set symbols that compatibility forms would turn into letters. */
const doubleStruck: Readonly<Record<string, string>> = { ℝ: 'R', ℤ: 'Z', ℕ: 'N', ℚ: 'Q', ℂ: 'C' };

/** Typed forms of LaTeX commands. */
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
/** `√16`, of which LaTeX would take only one digit. */
const typedRoot = /(√|∛|(?<![\\a-zA-Z])sqrt)\s*(\d+(?:\.\d+)?)/g;

const sizing = /\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits|boxed)(?![a-zA-Z])\.?/g;
const textCommand = /\\(?:text|mbox|hbox|textbf|textit|textrm|mathrm|operatorname)\s*\{([^{}]*)\}/g;
const fontCommand = /\\(?:mathbf|mathit|mathsf|mathcal|boldsymbol|bm)(?![a-zA-Z])/g;
const functionName = '(?:arc)?(?:sin|cos|tan)|cot|sec|csc|ln|log|exp|sqrt|pi';
const degrees = /\^\s*\{?\s*\\(?:circ|degree)(?![a-zA-Z])\s*\}?|\\degree(?![a-zA-Z])/g;
const celsius =
  /(?:\^\s*\{?\s*\\(?:circ|degree)\s*\}?|\\degree)\s*(?:\\(?:text|mathrm)\s*\{\s*([CF])\s*\}|([CF])(?![a-zA-Z]))/g;
/** Possible unit after a number. */
const unitTail =
  /(?<=[\d)}])(\s*)([a-zA-Z][a-zA-Z0-9^{}]*(?:(?: ?\/ ?|\.?\s)[a-zA-Z][a-zA-Z0-9^{}]*)*)(?=[\s.]*$)/g;
/** Two-letter symbols that are not a product of letters after a space, and those that never are. */
const symbol = /^(?:in|lbs?|oz|m[lL]|hrs?|yd|mi|min|sec|[kMG]?Hz|[kMG]W)(?:\^?\{?[23]\}?)?$/;
const plainSymbol = /^(?:[ckm]m|kg|ft)(?:\^?\{?[23]\}?)?$/i;
/** Noun after a number, which is not a product of letters. */
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
/** Final punctuation; two or more points mean that digits continue. */
const endOfSentence = /(?<![.,;])(?![.,;]*\.\.)[.,;]+$/;
const space = /(?<!\\)\\[,;:> ]|(?<!\\)\\q?quad(?![a-zA-Z])|~/g;
const thousands = /(?<=\d)(?:\\[, ]|\{,\}|,\\!\s*)(?=\d{3}(?!\d))/g;
/** Digit groups `2 850 213` and `2'850'213` at a possible start of a number; `1 100/200` is a mixed number. */
const gaps =
  /(?<=(?:^|[=(,;<>$[]|\\[gln]eq?(?:slant)?)\s*-?)[1-9]\d{0,2}([ '’_])\d{3}(?:\1\d{3})*(?!\1?\d|,\d|\s*\/|\s*\\frac)/g;
const currencies: Readonly<Record<string, string>> = { '€': 'eur', '£': 'gbp', '¥': 'jpy', '₹': 'inr' };
/** Dollar sign that ends a formula or precedes something other than a number. */
const texMark = /[^\s,;(-]\$|\$(?!\s*-?\.?\d)/;

/** Detects money: every dollar sign precedes a number. */
function bareDollars(text: string): string {
  const plain = text.replaceAll('US$', '$');
  return texMark.test(plain) ? text : plain.replaceAll('$', '\\USD ');
}

/** `]0,1[` at the possible bounds of a set. */
const reversedInterval =
  /(?<=(?:^|[=,;]|\\(?:cup|cap|setminus|in)(?![a-zA-Z]))\s*)([[\]])([^[\],;]+[,;][^[\],;]+)([[\]])(?=[\s.]*$|\s*[,;]|\s*\\(?:cup|cap|setminus|text))/g;

/** `\frac{\text{m}}{\text{s}^2}` after a number. */
const unitFraction =
  /(?<=[\d)}])\s*\\frac\s*\{\s*\\text\{\s*([^{}]+?)\s*\}\s*\}\s*\{\s*\\text\{\s*([^{}]+?)\s*\}(\^\d)?\s*\}/g;

/** Unit vector, with or without its hat. */
const unitVector =
  /\\(?:hat|widehat|vec)\s*(?:\{\s*(?:\\([ij])math|([ijk]))\s*\}|(?:\\([ij])math|(?<=\s)([ijk]))(?![a-zA-Z]))/g;

/** Ordered steps; each unifies spellings of one thing. */
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
  // `~5` means about 5; elsewhere a tilde is a space.
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
 * Normal form of a mathematical answer: no sizing, spacing or dollar signs, one kind of fraction, units as a trailing
 * `\text{...}`, no thousands separators. Equal answers may still differ; different ones stay different.
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

/** Wraps a unit after a number in `\\text{...}`; possible products of letters are unchanged. */
function unitText(whole: string, space: string, tail: string): string {
  const isUnit =
    plainSymbol.test(tail) || (space !== '' && symbol.test(tail)) || /[a-zA-Z]{3}|\/|^(?:sq|cu)\b/.test(tail);
  return isUnit && findUnits(tail.replace(/[{}]/g, '')).length > 0
    ? `\\text{${tail.replace(/[{}]/g, '')}}`
    : whole;
}

/** Reads `x=1 or x=2` as a list; in prose `and` is an ordinary word. */
function withoutConjunctions(text: string): string {
  const isProse = /[a-zA-Z]{3}/.test(text.replace(/\\text\{[^{}]*\}|\\[a-zA-Z]+|\b(?:and|or)\b/g, ''));
  return isProse ? text : outsideWords(text, (part) => part.replace(/(?<=[^,\s])\s(?:and|or)\s(?=\S)/g, ','));
}

/**
 * Removes spaces except those that separate a command from a letter, words, or numbers (`1, 200` is not `1,200`), and
 * those inside `\text`.
 */
function withoutSpaces(text: string): string {
  return outsideWords(text, (part) => part.replace(/ /g, keepsApart));
}

/** Changes text outside `\text{...}`. */
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

/**
 * Removes thousands separators: `1,200` is a number, `(1,200)` a pair, since commas inside brackets always separate.
 */
function withoutSeparators(text: string): string {
  if (/[([{]/.test(text.replace(/\\text\{[^{}]*\}/g, ''))) return text;
  return text.replace(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(',', ''));
}
