import { add, type Complex, divide, multiply, negate, power, real, squareRoot } from './complexNumber.ts';
import { LatexTokens } from './latexTokens.ts';

/** Deeper brackets are no answer; the bound keeps the recursion short. */
const mostDepth = 40;

/** Values of the letters in each of the samples: no letter's value is a simple function of another's. */
const samples: readonly ((letter: string) => number)[] = [0.731, 1.377, 2.113].map(
  (base) => (letter) => base + Math.sqrt(letter.codePointAt(0)! + base) / 7,
);

const constants: Readonly<Record<string, Complex>> = {
  '\\pi': real(Math.PI),
  e: real(Math.E),
  i: { re: 0, im: 1 },
};

const functions: Readonly<Record<string, (x: number) => number>> = {
  '\\sin': Math.sin,
  '\\cos': Math.cos,
  '\\tan': Math.tan,
  '\\cot': (x) => 1 / Math.tan(x),
  '\\sec': (x) => 1 / Math.cos(x),
  '\\csc': (x) => 1 / Math.sin(x),
  '\\arcsin': Math.asin,
  '\\arccos': Math.acos,
  '\\arctan': Math.atan,
  '\\ln': Math.log,
  '\\log': Math.log10,
  '\\exp': Math.exp,
};

const greek = /^\\(?:alpha|beta|gamma|delta|theta|lambda|mu|phi|omega|rho|sigma|tau)$/;

const plainFraction = /^\\frac(?:\{\d+\}|\d)(?:\{\d+\}|\d)/;

class NoValue extends Error {}

/**
 * What a normalised expression comes to, once for each of three assignments of numbers to its letters; undefined when
 * it is no expression, or words. Two expressions with equal values are equal but for an accident. Time is linear in
 * the text's length.
 */
export function latexValue(text: string): readonly Complex[] | undefined {
  // Three letters in a row are a word; as a product `east` would equal `seat`.
  if (/(?<!\\[a-zA-Z]*)[a-zA-Z]{3}/.test(text)) return undefined;
  try {
    const values = samples.map((letterValue) => new Evaluator(text, letterValue).value());
    return values.every(({ re, im }) => Number.isFinite(re) && Number.isFinite(im)) ? values : undefined;
  } catch (error) {
    if (error instanceof NoValue) return undefined;
    throw error;
  }
}

/** Evaluates by recursive descent; juxtaposition multiplies, a whole number before a plain fraction adds to it. */
class Evaluator {
  readonly #tokens: LatexTokens;
  readonly #letterValue: (letter: string) => number;
  #depth = 0;

  constructor(text: string, letterValue: (letter: string) => number) {
    this.#tokens = new LatexTokens(text);
    this.#letterValue = letterValue;
  }

  value(): Complex {
    const value = this.#sum();
    if (this.#tokens.peek() !== '') throw new NoValue();
    return value;
  }

  #sum(): Complex {
    if (++this.#depth > mostDepth) throw new NoValue();
    let sum = this.#signedProduct();
    while (/^[+-]$/.test(this.#tokens.peek())) sum = add(sum, this.#signedProduct());
    this.#depth -= 1;
    return sum;
  }

  #signedProduct(): Complex {
    if (this.#tokens.take('-')) return negate(this.#product());
    this.#tokens.take('+');
    return this.#product();
  }

  #product(): Complex {
    let product = this.#factor();
    for (;;) {
      if (this.#tokens.take('/') || this.#tokens.take('\\div'))
        product = divide(product, this.#signedFactor());
      else if (this.#tokens.take('*') || this.#tokens.take('\\cdot') || this.#tokens.take('\\times')) {
        product = multiply(product, this.#signedFactor());
      } else if (this.#startsFactor()) product = multiply(product, this.#factor());
      else return product;
    }
  }

  #startsFactor(): boolean {
    const next = this.#tokens.peek();
    // A number right after something, as in `x2`, is a slip and not a product.
    return next === '(' || next === '{' || /^[a-zA-Z]$/.test(next) || this.#isOperand(next);
  }

  #isOperand(command: string): boolean {
    const known =
      command === '\\frac' || command === '\\sqrt' || command in constants || command in functions;
    return command.startsWith('\\') && (known || greek.test(command));
  }

  #signedFactor(): Complex {
    return this.#tokens.take('-') ? negate(this.#factor()) : this.#factor();
  }

  #factor(): Complex {
    let value = this.#base();
    if (this.#tokens.take('^')) value = power(value, this.#argument());
    if (this.#tokens.take('!')) value = factorial(value);
    return value;
  }

  #base(): Complex {
    const token = this.#tokens.next();
    if (/^[\d.]/.test(token)) return this.#mixed(token);
    if (token === '(') return this.#closed(')');
    if (token === '{') return this.#closed('}');
    if (token === '\\frac') return divide(this.#argument(), this.#argument());
    if (token === '\\sqrt') return this.#root();
    if (Object.hasOwn(constants, token)) return constants[token]!;
    if (Object.hasOwn(functions, token)) return this.#applied(functions[token]!);
    if (greek.test(token)) return real(this.#letterValue(token.slice(2)));
    if (/^[a-zA-Z]$/.test(token)) return real(this.#letterValue(token));
    throw new NoValue();
  }

  /** `1\frac{4}{5}` is 1.8, while `2\frac{x}{3}` is a product. */
  #mixed(number: string): Complex {
    const whole = real(Number(number));
    if (!/^\d+$/.test(number) || !this.#tokens.startsWith(plainFraction)) return whole;
    this.#tokens.next();
    return add(whole, divide(this.#argument(), this.#argument()));
  }

  #closed(bracket: string): Complex {
    const value = this.#sum();
    if (!this.#tokens.take(bracket)) throw new NoValue();
    return value;
  }

  #root(): Complex {
    if (!this.#tokens.take('[')) return squareRoot(this.#argument());
    const degree = this.#closed(']');
    return power(this.#argument(), divide(real(1), degree));
  }

  #applied(apply: (x: number) => number): Complex {
    const exponent = this.#tokens.take('^') ? this.#argument() : real(1);
    let argument = this.#factor();
    while (this.#startsFactor() && !Object.hasOwn(functions, this.#tokens.peek())) {
      argument = multiply(argument, this.#factor());
    }
    if (argument.im !== 0) throw new NoValue();
    return power(real(apply(argument.re)), exponent);
  }

  /** What stands after `^`, `\frac` or `\sqrt`: a group, one digit, or one other token. */
  #argument(): Complex {
    if (this.#tokens.take('{')) return this.#closed('}');
    const digit = this.#tokens.takeDigit();
    return digit === undefined ? this.#base() : real(digit);
  }
}

function factorial({ re, im }: Complex): Complex {
  if (im !== 0 || !Number.isInteger(re) || re < 0 || re > 170) throw new NoValue();
  let product = 1;
  for (let factor = 2; factor <= re; factor++) product *= factor;
  return real(product);
}
