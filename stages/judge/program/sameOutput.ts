/**
 * Compares output as LiveCodeBench does (`lcb_runner/evaluation/testing_util.py`, `grade_stdio`): the same number of
 * lines, without white space around the whole and each line; differing lines are split at white space and must be
 * equal decimal numbers in any notation. In addition, a word expected as a decimal fraction may differ by
 * `tolerance`, relative or absolute, as in contests, but by less than half a unit of the last digit if few are
 * expected. A `tolerance` of 0 gives LiveCodeBench's rules.
 */
export function sameOutput(printed: string, expected: string, tolerance: number): boolean {
  const lines = linesOf(printed);
  const wanted = linesOf(expected);
  return lines.length === wanted.length && lines.every((line, at) => sameLine(line, wanted[at]!, tolerance));
}

function linesOf(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim());
}

function sameLine(line: string, wanted: string, tolerance: number): boolean {
  if (line === wanted) return true;
  const [words, others] = [line, wanted].map((text) => text.split(/\s+/)) as [string[], string[]];
  if (words.length !== others.length) return false;
  const areNumbers = [...words, ...others].every(isDecimal);
  // White space between words that are not numbers counts.
  if (!areNumbers && spacesOf(line) !== spacesOf(wanted)) return false;
  return words.every((word, at) => sameWord(word, others[at]!, areNumbers, tolerance));
}

function spacesOf(line: string): string {
  return line.replace(/\S+/g, 'x');
}

function sameWord(word: string, wanted: string, areNumbers: boolean, tolerance: number): boolean {
  if (areNumbers ? sameDecimal(word, wanted) : word === wanted) return true;
  return near(word, wanted, tolerance);
}

/** Syntax of Python's `decimal.Decimal` without not-a-number, which equals nothing. */
const decimal =
  /^(?<sign>[-+]?)(?:(?<whole>\d+)(?:\.(?<fraction>\d*))?|\.(?<bare>\d+))(?:e(?<exponent>[-+]?\d+))?$/i;
const infinity = /^(?<sign>[-+]?)inf(?:inity)?$/i;

function isDecimal(word: string): boolean {
  const plain = word.replaceAll('_', '');
  return decimal.test(plain) || infinity.test(plain);
}

function sameDecimal(a: string, b: string): boolean {
  return canonicalDecimal(a) === canonicalDecimal(b);
}

/** Significant digits with the power of ten of the last: `25.0` and `025` become `25e0`. Exact at any length. */
function canonicalDecimal(word: string): string {
  const plain = word.replaceAll('_', '');
  const { sign, whole = '', fraction = '', bare = '', exponent = '0' } = decimal.exec(plain)?.groups ?? {};
  const minus = (sign ?? infinity.exec(plain)?.groups?.sign) === '-' ? '-' : '';
  if (sign === undefined) return `${minus}infinity`;
  const digits = `${whole}${fraction}${bare}`.replace(/^0+/, '');
  const significant = withoutLastZeros(digits);
  const power =
    BigInt(exponent) - BigInt(fraction.length + bare.length) + BigInt(digits.length - significant.length);
  return significant === '' ? '0' : `${minus}${significant}e${power}`;
}

/** Loop instead of a pattern, which would be quadratic in runs of zeros. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/** Minimum decimals of a measured number; shorter ones are exact, such as a median that ends in `.5`. */
const DIGITS_OF_MEASURES = 6;

function near(word: string, wanted: string, tolerance: number): boolean {
  if (tolerance === 0 || !/[.e]/i.test(wanted) || !decimal.test(word) || !decimal.test(wanted)) return false;
  const [printed, expected] = [Number(word), Number(wanted)];
  if (!Number.isFinite(printed) || !Number.isFinite(expected)) return false;
  const allowed = tolerance * Math.max(1, Math.abs(expected));
  const [, fraction] = /^[-+]?\d*\.(\d*)$/.exec(wanted) ?? [];
  const digits = fraction?.length ?? DIGITS_OF_MEASURES;
  const bound = digits < DIGITS_OF_MEASURES ? 0.49 * 10 ** -digits : allowed;
  return Math.abs(printed - expected) <= Math.min(allowed, bound);
}
