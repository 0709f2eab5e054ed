/** What people type for LaTeX commands. */
const unicodeForms: Readonly<Record<string, string>> = {
  '−': '-',
  '–': '-',
  '×': '\\times ',
  '·': '\\cdot ',
  '÷': '/',
  π: '\\pi ',
  '∞': '\\infty ',
  '∪': '\\cup ',
  '∈': '\\in ',
  '±': '\\pm ',
  '√': '\\sqrt ',
  '°': '^\\circ ',
  '²': '^2',
  '³': '^3',
  θ: '\\theta ',
};

const unicodePattern = new RegExp(`[${Object.keys(unicodeForms).join('')}]`, 'gu');

const sizing = /\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle|limits)(?![a-zA-Z])/g;
const textCommand = /\\(?:text|mbox|hbox|textbf|textit|textrm|mathrm|mathbf|operatorname)\s*\{([^{}]*)\}/g;
const degrees = /\^\s*\{?\s*\\(?:circ|degree)(?![a-zA-Z])\s*\}?|\\degree(?![a-zA-Z])/g;
const unitWord =
  /(?<=[\d)}])\s*((?:square |cubic )?(?:degrees?|percent|dollars?|cents?|inch(?:es)?|feet|foot|units?|meters?|miles?|hours?|minutes?|seconds?))(?=[\s.]*$)/i;
const thinSpace = /\\!\s*/g;
const space = /(?<!\\)\\[,;:> ]|(?<!\\)\\q?quad(?![a-zA-Z])|~/g;

/** The steps in order; each makes spellings of one thing alike. */
const steps: readonly (readonly [RegExp, string])[] = [
  [/\\?\$/g, ''],
  [thinSpace, ''],
  [/(?<=\d)\\,(?=\d{3})/g, ''],
  [/(?<=\d)\{,\}(?=\d)/g, ','],
  [space, ' '],
  [sizing, ''],
  [/\\[dtc]frac(?![a-zA-Z])/g, '\\frac'],
  [/(?<![\\a-zA-Z])(pi|sqrt|infinity)(?![a-zA-Z])/g, '\\$1 '],
  [/\\infinity(?![a-zA-Z])/g, '\\infty'],
  [degrees, '\\text{degrees}'],
  [/\\?%/g, '\\text{percent}'],
  [textCommand, '\\text{$1}'],
  [/\\text\{\s*(?:and|or)\s*\}/g, ','],
  [unitWord, '\\text{$1}'],
  [/\\text\{\s*([^{}]*?)\s*\}/g, '\\text{$1}'],
  [/([_^])\{\s*(\w)\s*\}/g, '$1$2'],
  [/\s+/g, ' '],
];

/**
 * A mathematical answer in one spelling: no sizing, spacing or dollar signs, one kind of fraction, units as
 * `\text{...}` at the end, no thousands separators. Equal answers may still differ; different ones stay different.
 */
export function normaliseLatex(text: string): string {
  const typed = text
    .toWellFormed()
    .normalize('NFC')
    .replace(unicodePattern, (char) => unicodeForms[char]!);
  const spelled = steps.reduce((seen, [pattern, form]) => seen.replace(pattern, form), typed).trim();
  return withoutSpaces(withoutSeparators(spelled)).replace(/\.$/, '');
}

/**
 * Drops spaces but those that hold things apart: a command from a letter, a word from a word, a number from a number
 * (`1, 200` is no `1,200`), and those inside `\text`.
 */
function withoutSpaces(text: string): string {
  return text
    .split(/(\\text\{[^{}]*\})/)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(/ /g, keepsApart)))
    .join('');
}

function keepsApart(space: string, at: number, text: string): string {
  const before = text.slice(Math.max(0, at - 30), at);
  const after = text[at + 1] ?? '';
  const commandThenLetter = /\\[a-zA-Z]+$/.test(before) && /[a-zA-Z]/.test(after);
  const wordThenWord = /[a-zA-Z]{2}$/.test(before) && /[a-zA-Z]/.test(after);
  const digitThenDigit = /\d$/.test(before) && /\d/.test(after) && !/\\frac\d$/.test(before);
  const listed = /\d,$/.test(before) && /\d/.test(after);
  return listed || commandThenLetter || wordThenWord || digitThenDigit ? space : '';
}

/** `1,200` is one number, `(1,200)` is a pair: commas inside brackets always separate. */
function withoutSeparators(text: string): string {
  if (/[([{]/.test(text.replace(/\\text\{[^{}]*\}/g, ''))) return text;
  return text.replace(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(',', ''));
}
