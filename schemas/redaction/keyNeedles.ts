import { lettersAndDigits } from './readings.ts';

/** A form of a key as letters and digits in lower case, and how many in a row give the key away. */
export interface Needle {
  readonly text: string;
  /** Length of a run of `text` that gives the key away: about eight characters of the key. */
  readonly window: number;
  /** True for the key itself, of which words such as "password" may stand in any text. */
  readonly isPlain: boolean;
}

/** Characters of a key in a row that are never shown. */
export const SHOWN_RUN = 8;

const base64Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/**
 * The forms in which a service may repeat a key, besides those that `readings` resolves: as it is and backwards, in
 * Base64 once and twice, Base64 of UTF-16, Base32, and as the numbers of its characters in hexadecimal and decimal.
 * Base64 of a header or of JSON that holds the key is found too: what stands around a key shifts its Base64 in one of
 * three ways. Characters other than letters and digits are left out, as in the texts that are searched, so one form
 * serves for all separators and both alphabets of Base64.
 */
export function keyNeedles(key: string): Needle[] {
  const bytes = Buffer.from(key);
  const once = base64Forms(bytes);
  const encoded: readonly (readonly [forms: readonly string[], window: number])[] = [
    [once, SHOWN_RUN],
    [once.flatMap((form) => base64Forms(Buffer.from(form))), 2 * SHOWN_RUN],
    [base64Forms(Buffer.from(key, 'utf16le')), 2 * SHOWN_RUN],
    [groupedBits(bytes, 5, base32Alphabet, [0, 1, 2, 3, 4]), SHOWN_RUN],
    [[numbersOf(bytes, 16, '')], 2 * SHOWN_RUN],
    [[numbersOf(bytes, 16, '0x')], 4 * SHOWN_RUN],
    [[numbersOf(bytes, 10, '')], 2 * SHOWN_RUN],
  ];
  const plain = [key, [...key].reverse().join('')].map((form) => ({
    form,
    window: SHOWN_RUN,
    isPlain: true,
  }));
  return [
    ...plain,
    ...encoded.flatMap(([forms, window]) => forms.map((form) => ({ form, window, isPlain: false }))),
  ]
    .map(({ form, ...needle }) => ({ ...needle, text: lettersAndDigits(form) }))
    .filter(({ text }) => text.length >= SHOWN_RUN);
}

/** Base64 of bytes that stand somewhere among others, without the characters that depend on those. */
function base64Forms(bytes: Uint8Array): string[] {
  return groupedBits(bytes, 6, base64Alphabet, [0, 2, 4]);
}

/** The bits of bytes in groups, each as a character; `offsets` say how many bits the first whole group leaves out. */
function groupedBits(
  bytes: Uint8Array,
  bits: number,
  alphabet: string,
  offsets: readonly number[],
): string[] {
  const binary = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = new RegExp(`[01]{${bits}}`, 'g');
  return offsets.map((offset) =>
    (binary.slice(offset).match(groups) ?? []).map((group) => alphabet[Number.parseInt(group, 2)]).join(''),
  );
}

function numbersOf(bytes: Uint8Array, radix: 10 | 16, prefix: string): string {
  return [...bytes]
    .map((byte) => `${prefix}${radix === 16 ? byte.toString(16).padStart(2, '0') : byte}`)
    .join('');
}
