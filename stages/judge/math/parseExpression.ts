import { ratio } from '../../../schemas/answers/ratio.ts';
import {
  accent,
  inverses,
  isOperand,
  type LatexTokens,
  letterCommand,
  prefixFunctions,
  readNumber,
  wholeNode,
} from './latexTokens.ts';
import { degree, type MathNode, negativeNode, numberNode, productNode } from './mathNode.ts';
import { Undecidable } from './undecidable.ts';

/** Maximum nesting of answers; bounds the recursion. */
const MAX_DEPTH = 60;

const one: MathNode = numberNode(ratio(1n)!);
const ten: MathNode = numberNode(ratio(10n)!);

/**
 * Parses expressions by recursive descent; juxtaposition multiplies, an integer before a plain fraction adds.
 * Subclasses parse more than expressions, such as sets.
 */
export abstract class ExpressionParser {
  protected readonly tokens: LatexTokens;
  protected plusMinus: '+' | '-' = '+';
  /** `p` for each `\pm` read, `m` for each `\mp`. */
  protected doubleSigns = '';
  #depth = 0;
  #functions = 0;
  #bars = 0;

  constructor(tokens: LatexTokens) {
    this.tokens = tokens;
  }

  /** Parses bracketed content after the opening bracket. */
  protected abstract bracketed(open: string): MathNode;

  /** Parses `\begin{...}` after the command. */
  protected abstract environment(): MathNode;

  /** Parses `\text{...}` after the command. */
  protected abstract words(): MathNode;

  protected unreadable(): never {
    throw new Undecidable(`can't read ${JSON.stringify(this.tokens.peek() || 'the end')}`);
  }

  protected expect(token: string): void {
    if (!this.tokens.take(token)) this.unreadable();
  }

  protected sum(): MathNode {
    const terms = [this.#signedProduct()];
    while (/^(?:[+-]|\\pm|\\mp)$/.test(this.tokens.peek())) terms.push(this.#term());
    return terms.length === 1 ? terms[0]! : { kind: 'sum', terms };
  }

  #term(): MathNode {
    return this.#takeMinus() ? { kind: 'negative', of: this.#signedProduct() } : this.#signedProduct();
  }

  #signedProduct(): MathNode {
    return this.#takeMinus() ? negativeNode(this.#product()) : this.#product();
  }

  /** Reads an optional sign; true for a minus. */
  #takeMinus(): boolean {
    if (this.tokens.take('+')) return false;
    if (this.tokens.take('-')) return true;
    const isSwapped = this.tokens.peek() === '\\mp';
    if (!this.tokens.take('\\pm', '\\mp')) return false;
    this.doubleSigns += isSwapped ? 'm' : 'p';
    return (this.plusMinus === '-') !== isSwapped;
  }

  #product(): MathNode {
    let factors = [this.#factor()];
    for (;;) {
      if (this.#takeDivision()) {
        factors = [{ kind: 'quotient', over: productNode(factors), under: this.#signedFactor() }];
      } else if (this.tokens.peek() === '\\times' && factors.some(isVector)) {
        throw new Undecidable('a product of vectors');
      } else if (this.tokens.take('*', '\\cdot', '\\times')) factors.push(this.#signedFactor());
      else if (this.#startsFactor()) factors.push(this.#factor());
      else return productNode(factors);
    }
  }

  /** Reads `2:3` as a ratio; `2:30` may be a time of day. */
  #takeDivision(): boolean {
    if (this.tokens.take('/', '\\div')) return true;
    return this.tokens.takeMatch(/ ?:(?! ?\d\d(?!\d))(?=[^:]*$)/y) !== undefined;
  }

  #startsFactor(): boolean {
    const next = this.tokens.peek();
    // A number right after an operand, as in `x2`, is a slip and not a product.
    if (/^[a-zA-Z({[]$/.test(next)) return true;
    if (next === '|') return this.#bars === 0;
    return isOperand(next);
  }

  #signedFactor(): MathNode {
    if (this.tokens.take('-')) return { kind: 'negative', of: this.#factor() };
    this.tokens.take('+');
    return this.#factor();
  }

  #factor(): MathNode {
    let node = this.#base();
    if (this.tokens.take('^')) node = { kind: 'power', base: node, exponent: this.#exponent() };
    if (this.tokens.take('!')) node = { kind: 'apply', name: 'factorial', args: [node] };
    if (this.#functions > 0 && this.tokens.takeMatch(/ ?\\text\{degrees\}/y)) {
      node = productNode([node, degree]);
    }
    return node;
  }

  /** Reads `x^10` as `x^{10}`, which its authors mean. */
  #exponent(): MathNode {
    const digits = this.tokens.takeMatch(/ ?(-?\d+)/y)?.[1];
    return digits === undefined ? this.argument() : wholeNode(digits);
  }

  #base(): MathNode {
    if (++this.#depth > MAX_DEPTH) throw new Undecidable(`brackets more than ${MAX_DEPTH} deep`);
    const node = this.#operand();
    this.#depth -= 1;
    return node;
  }

  #operand(): MathNode {
    const token = this.tokens.next();
    if (/^[\d.]/.test(token) && token !== '.') return readNumber(token, this.tokens);
    if (token === '(' || token === '[' || token === '\\{' || token === '\\langle' || token === '{') {
      return this.#insideBrackets(() => this.bracketed(token));
    }
    if (/^[a-zA-Z]$/.test(token)) return this.#letter(token);
    if (token.startsWith('\\')) return this.#command(token);
    if (token === '|') return this.#absolute('|');
    return this.unreadable();
  }

  #insideBrackets(read: () => MathNode): MathNode {
    const [functions, bars] = [this.#functions, this.#bars];
    this.#bars = 0;
    const node = read();
    this.#functions = functions;
    this.#bars = bars;
    return node;
  }

  #command(token: string): MathNode {
    const name = token.slice(1);
    if (token === '\\frac') return { kind: 'quotient', over: this.argument(), under: this.argument() };
    if (token === '\\sqrt') return this.#root();
    if (token === '\\binom') return { kind: 'apply', name, args: [this.argument(), this.argument()] };
    if (token === '\\pi') return { kind: 'constant', name: 'pi' };
    if (token === '\\infty') return { kind: 'constant', name: 'infinity' };
    if (token === '\\lvert') return this.#absolute('\\rvert');
    if (token === '\\lfloor') return this.#closed('floor', '\\rfloor');
    if (token === '\\lceil') return this.#closed('ceil', '\\rceil');
    if (token === '\\begin') return this.#insideBrackets(() => this.environment());
    if (token === '\\text') return this.words();
    if (token === '\\mathbb' || accent.test(token)) {
      const marked = this.#rawArgument();
      // The repeating digits were read with their number.
      if (/\d/.test(marked)) this.unreadable();
      return { kind: 'letter', name: `${token}${marked}` };
    }
    if (prefixFunctions.has(name)) return this.#applied(name);
    if (letterCommand.test(token)) return this.#letter(token);
    return this.unreadable();
  }

  #letter(token: string): MathNode {
    // Four consecutive letters are a word.
    if (token.length === 1 && this.tokens.startsWith(/[a-zA-Z]{3}/y)) this.unreadable();
    if (token === 'e' || token === 'i') return { kind: 'constant', name: token };
    return { kind: 'letter', name: this.tokens.take('_') ? `${token}_${this.#rawArgument()}` : token };
  }

  /** The text of a subscript. */
  #rawArgument(): string {
    const [, group, single] = this.tokens.takeMatch(/ ?(?:\{([\w+-]{1,20})\}|(\w))/y) ?? [];
    return group ?? single ?? this.unreadable();
  }

  #root(): MathNode {
    if (!this.tokens.take('[')) return { kind: 'apply', name: 'sqrt', args: [this.argument()] };
    const root = this.#insideBrackets(() => this.sum());
    this.expect(']');
    return { kind: 'apply', name: 'root', args: [root, this.argument()] };
  }

  #absolute(close: string): MathNode {
    this.#bars += close === '|' ? 1 : 0;
    const node = this.#closed('abs', close);
    this.#bars -= close === '|' ? 1 : 0;
    return node;
  }

  #closed(name: string, close: string): MathNode {
    const of = this.sum();
    this.expect(close);
    return { kind: 'apply', name, args: [of] };
  }

  #applied(name: string): MathNode {
    const base = name === 'log' ? [this.tokens.take('_') ? this.argument() : ten] : [];
    const exponent = this.tokens.take('^') ? this.#exponent() : one;
    const inverse = inverses[name];
    const args = [...base, this.#functionArgument()];
    const isInverse = inverse !== undefined && exponent.kind === 'negative' && isOne(exponent.of);
    if (isInverse) return { kind: 'apply', name: inverse, args };
    const applied: MathNode = { kind: 'apply', name, args };
    return exponent === one ? applied : { kind: 'power', base: applied, exponent };
  }

  /** Argument in brackets, or otherwise up to the next sign or function. */
  #functionArgument(): MathNode {
    this.#functions += 1;
    const hasBrackets = /^[({[]$/.test(this.tokens.peek());
    const factors = [this.#factor()];
    while (!hasBrackets && this.#startsFactor() && !prefixFunctions.has(this.tokens.peek().slice(1))) {
      factors.push(this.#factor());
    }
    this.#functions -= 1;
    return productNode(factors);
  }

  /** Argument of `^`, `\frac` or `\sqrt`: a group, one digit, or one other token. */
  protected argument(): MathNode {
    const digit = this.tokens.takeDigit();
    return digit === undefined ? this.#base() : wholeNode(digit);
  }
}

function isVector(node: MathNode): boolean {
  return node.kind === 'letter' && node.name.startsWith('\\vec');
}

function isOne(node: MathNode): boolean {
  return node.kind === 'number' && node.value.over === 1n && node.value.under === 1n;
}
