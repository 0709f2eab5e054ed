/** A number in common notation: `-1,200.50`, `$100`, `20%`, `1e5`. */
export interface PlainNumber {
  /** Sign, digits and fraction without separators and padding zeros. */
  readonly decimal: string;
  readonly value: number;
  /** Currency sign or `%`; empty without one. */
  readonly unit: string;
}

/**
 * Integer digits, with commas, spaces, apostrophes, underscores or full stops between thousands; a full stop alone is
 * a decimal point.
 */
export const wholeDigits = String.raw`\d{1,3}(?:,\d{3})+|[1-9]\d{0,2}(?<gap>[ '’_])\d{3}(?:\k<gap>\d{3})*|[1-9]\d{0,2}(?:\.\d{3}){2,}|\d*`;

/** Removes thousands separators. */
export function withoutGaps(digits: string): string {
  return digits.replace(/\D/g, '');
}

const plainNumber = new RegExp(
  String.raw`^(?<sign>[-+−]?) ?(?<currency>[$€£¥]?) ?(?<whole>${wholeDigits})(?<fraction>\.\d+)?(?<exponent>e[-+]?\d{1,3})? ?(?<percent>%?)$`,
  'i',
);

/** Maximum length of text parsed as a number. */
const MAX_CHARS = 400;

/** Normalises a power of ten: `6.02 × 10^23` becomes `6.02e23`. */
export function withExponent(text: string): string {
  return text
    .replace(/^([-−]?\d+(?:\.\d+)?) ?[×x*·] ?10\^([-−]?\d{1,3})(?!\d)/, '$1e$2')
    .replace(/^([-−]?)10\^([-−]?\d{1,3})(?![\d^])/, '$11e$2')
    .replace(/e−(?=\d)/, 'e-');
}

/** Parses a text that is exactly one number; undefined otherwise. */
export function parsePlainNumber(text: string): PlainNumber | undefined {
  const trimmed = text.trim();
  const groups = trimmed.length > MAX_CHARS ? undefined : plainNumber.exec(trimmed)?.groups;
  if (!groups || (groups.whole === '' && groups.fraction === undefined)) return undefined;
  const whole = withoutGaps(groups.whole!).replace(/^0+(?=\d)/, '') || '0';
  const fraction = (groups.fraction ?? '').replace(/\.?0+$/, '');
  const digits = `${whole}${fraction}${groups.exponent?.toLowerCase() ?? ''}`;
  const negative = groups.sign !== '' && groups.sign !== '+' && Number(digits) !== 0;
  const decimal = negative ? `-${digits}` : digits;
  return { decimal, value: Number(decimal), unit: `${groups.currency}${groups.percent}` };
}

/** True if both are the same amount; a unit on one side only is ignored. */
export function equalPlainNumbers(a: PlainNumber, b: PlainNumber, tolerance: number): boolean {
  if (a.unit !== b.unit && a.unit !== '' && b.unit !== '') return false;
  if (a.decimal === b.decimal) return true;
  const bothWhole = isWhole(a) && isWhole(b);
  return !bothWhole && nearlyEqual(a.value, b.value, tolerance);
}

function isWhole({ decimal }: PlainNumber): boolean {
  return /^-?\d+$/.test(decimal);
}

/** Largest value up to which a double holds every integer. */
const LAST_EXACT_INTEGER = 2 ** 53;

/** Maximum absolute tolerance, so that integers that differ by one stay different. */
const MAX_ABSOLUTE_DIFFERENCE = 0.25;

/** Rounding error of a few operations on doubles. */
const ROUNDING_TOLERANCE = 1e-14;

/**
 * True if two doubles are equal up to a relative difference. Above 2^53 only rounding is tolerated; below, two
 * different integers are never equal.
 */
export function nearlyEqual(a: number, b: number, tolerance: number): boolean {
  // Beyond the largest double all values are infinite.
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  if (a === b) return true;
  const scale = Math.max(Math.abs(a), Math.abs(b));
  const difference = Math.abs(a - b);
  if (scale > LAST_EXACT_INTEGER) return difference <= Math.min(tolerance, ROUNDING_TOLERANCE) * scale;
  // A relative difference is meaningless near zero: sums such as cos(pi/2) leave 6e-17.
  return difference <= Math.min(Math.max(tolerance * scale, ROUNDING_TOLERANCE), MAX_ABSOLUTE_DIFFERENCE);
}
