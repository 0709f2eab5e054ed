import { InvalidArgumentError } from 'commander';

export function gathered(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

export function wholeNumber(min: number, max?: number): (text: string) => number {
  return numberOption({ min, max, digits: /^\d{1,15}$/, what: 'a whole number' });
}

/** Parses a number such as `2.5` of a command-line option. */
export function decimalNumber(range: NumberRange): (text: string) => number {
  return numberOption({ ...range, digits: /^(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})$/, what: 'a number' });
}

export const portNumber = wholeNumber(0, 65_535);

export const repeated = { parse: gathered };
export const oneOrMore = { parse: wholeNumber(1) };
export const positive = { parse: decimalNumber({ above: 0 }) };

interface NumberRange {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number | undefined;
  readonly below?: number;
}

interface NumberOption extends NumberRange {
  readonly digits: RegExp;
  readonly what: string;
}

function numberOption(option: NumberOption): (text: string) => number {
  const { digits, what, min = -Infinity, above = -Infinity, max = Infinity, below = Infinity } = option;
  return (text) => {
    const number = digits.test(text) ? Number(text) : Number.NaN;
    if (number >= min && number > above && number <= max && number < below) return number;
    throw new InvalidArgumentError(`expected ${what} ${rangeText(option)}`);
  };
}

function rangeText({ min, above, max, below }: NumberRange): string {
  const from = above === undefined ? `from ${min}` : `above ${above}`;
  if (below !== undefined) return `${from} and below ${below}`;
  if (max !== undefined) return `${from} to ${max}`;
  return above === undefined ? `${from} up` : from;
}
