import { normalForm } from '../../schemas/normalForm.ts';

const superscripts = /[ʰ-ʸˠ-ˤᴬ-ᵡᶛ-ᶿ⁰ⁱ⁴-ⁿ²³¹]+/gu;
const subscripts = /[ᵢ-ᵪ₀-ₜ]+/gu;
const raisedFraction = /([⁰¹²³⁴-⁹]+)[⁄/]([₀-₉]+)/g;
/** A fraction in one character, and what it stands behind: `5½` is `5 1/2`. */
const vulgarFraction = /(\d?)([¼-¾⅐-⅞↉])/g;
/** What compatibility forms would make something else of. */
const otherForms: ReadonlyMap<string, string> = new Map([
  ['º', '°'],
  ['٫', '.'],
  ['٬', ','],
]);

/**
 * A text in the characters of a Latin keyboard: digits of every script, full-width and mathematical letters, fractions
 * and signs in one character. `ends` stand around what was raised or lowered, behind `^` or `_`: `10²` is no 102.
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

/** The digits of a script follow each other from 0 to 9. */
function latinDigit(digit: string): string {
  const point = digit.codePointAt(0)!;
  let below = 0;
  while (below < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - below - 1))) below += 1;
  return `${below}`;
}
