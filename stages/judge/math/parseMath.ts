import { isCounted, nounName } from '../units.ts';
import {
  accent,
  inverses,
  isOperand,
  LatexTokens,
  letterCommand,
  prefixFunctions,
  readNumber,
  wholeNode,
  withBase,
  wordsNode,
} from './latexTokens.ts';
import {
  degree,
  emptySet,
  type MathNode,
  negativeNode,
  numberNode,
  plainSize,
  productNode,
} from './mathNode.ts';
import { ratio } from './ratio.ts';
import { Undecidable, type WorkBudget } from './undecidable.ts';

/** Deeper answers are not read; the bound keeps the recursion short. */
const MAX_DEPTH = 60;

const one: MathNode = numberNode(ratio(1n)!);
const ten: MathNode = numberNode(ratio(10n)!);

/** One spelling for each sign between the sides of a relation. */
const relations: Readonly<Record<string, string>> = {
  '=': '=',
  '<': '<',
  '>': '>',
  '\\lt': '<',
  '\\gt': '>',
  '\\le': '\\le',
  '\\leq': '\\le',
  '\\leqslant': '\\le',
  '\\ge': '\\ge',
  '\\geq': '\\ge',
  '\\geqslant': '\\ge',
  '\\ne': '\\ne',
  '\\neq': '\\ne',
  '\\in': '\\in',
};

const closings: Readonly<Record<string, readonly string[]>> = {
  '(': [')', ']'],
  '[': [']', ')'],
  '{': ['}'],
  '\\{': ['\\}'],
  '\\langle': ['\\rangle'],
};

/** Words that stand alone, one of three letters or more among them: no product of letters. */
const bareWords =
  / ?(?=[a-zA-Z ]*[a-zA-Z]{3})([a-zA-Z](?:[a-zA-Z ]|(?<=[a-zA-Z]{3})-(?=[a-zA-Z]{3}))*)(?=$|[,;)\]]|\\\})/y;

/** Reads a normalised answer. Throws `Undecidable` when it can't be read, or takes too much work. */
export function parseMath(text: string, work: WorkBudget): MathNode {
  return new MathParser(new LatexTokens(text, work)).answer();
}

/**
 * Reads answers by recursive descent: lists, relations, sets and amounts of expressions; juxtaposition multiplies, a
 * whole number before a plain fraction adds to it.
 */
class MathParser {
  readonly #tokens: LatexTokens;
  /** What `\pm` means at the moment. */
  #plusMinus: '+' | '-' = '+';
  /** `p` for each `\pm` that was read, `m` for each `\mp`. */
  #doubleSigns = '';
  #depth = 0;
  #functions = 0;
  #bars = 0;

  constructor(tokens: LatexTokens) {
    this.#tokens = tokens;
  }

  answer(): MathNode {
    const items = this.#items(['']);
    if (this.#tokens.peek() !== '') this.#unreadable();
    return items.length === 1 ? items[0]! : { kind: 'list', items };
  }

  /** Items between commas, each `\pm` as two of them. The token that ends them stays. */
  #items(ends: readonly string[]): MathNode[] {
    const items: MathNode[] = [];
    do items.push(...this.#bothSigns());
    while (this.#tokens.take(',', ';') && !ends.includes(this.#tokens.peek()));
    return items;
  }

  /** `3\pm2` is both `3+2` and `3-2`. */
  #bothSigns(): MathNode[] {
    const from = this.#tokens.at;
    const [outerSigns, outerSign] = [this.#doubleSigns, this.#plusMinus];
    this.#doubleSigns = '';
    this.#plusMinus = '+';
    const items = [this.#item()];
    if (this.#doubleSigns !== '') {
      if (/p.*p|m.*m/.test(this.#doubleSigns)) throw new Undecidable('whether signs go together');
      this.#tokens.at = from;
      this.#plusMinus = '-';
      items.push(this.#item());
    }
    this.#doubleSigns = outerSigns;
    this.#plusMinus = outerSign;
    return items;
  }

  #item(): MathNode {
    const words = this.#tokens.takeMatch(bareWords);
    return words ? wordsNode(words[1]!) : this.#relation();
  }

  #relation(): MathNode {
    const sides = [this.#sets()];
    const operators: string[] = [];
    while (Object.hasOwn(relations, this.#tokens.peek())) {
      operators.push(relations[this.#tokens.next()]!);
      sides.push(this.#sets());
    }
    return operators.length === 0 ? sides[0]! : { kind: 'relation', operators, sides };
  }

  #sets(): MathNode {
    let node = this.#amount();
    while (/^\\(?:cup|cap|setminus)$/.test(this.#tokens.peek())) {
      const operator = this.#tokens.next();
      const next = this.#amount();
      const before =
        node.kind === 'sets' && node.operator === operator && operator !== '\\setminus' ? node.items : [node];
      node = { kind: 'sets', operator, items: [...before, next] };
    }
    return node;
  }

  /** An expression with what follows it as a unit: `5\text{ cm}^2`, `3\text{m}/\text{s}`. */
  #amount(): MathNode {
    const of = this.#sum();
    let [unit, words] = ['', ''];
    for (;;) {
      const found = this.#tokens.takeMatch(/ ?(\/?) ?\\text\{([^{}]*)\}(?:\^\{?(-?\d)\}?)?/y);
      if (!found) break;
      unit += ` ${found[1]}${found[2]}${found[3] === undefined ? '' : `^${found[3]}`}`;
      words += ` ${found[2]}`;
    }
    const name = nounName(unit);
    if (name === '' && /[^\s\w.,;/]/.test(words) && !/[%°$€£¥₹]/.test(words)) this.#unreadable();
    if (name === '' || of.kind === 'words') return of;
    return { kind: 'amount', of, unit: unit.trim(), isCount: isCounted(words, plainSize(of)) };
  }

  #bracketed(open: string): MathNode {
    const closes = closings[open]!;
    if (open === '\\{' && this.#tokens.take('\\}')) return emptySet;
    if (open === '\\{') return this.#closedSet();
    const items = [this.#item()];
    while (this.#tokens.take(',', ';')) items.push(this.#item());
    const close = this.#tokens.peek();
    if (!closes.includes(close) || (items.length === 1 && close !== closes[0])) this.#unreadable();
    this.#tokens.next();
    if (items.length === 1) return withBase(items[0]!, this.#tokens) ?? items[0]!;
    if (open === '{') return { kind: 'list', items };
    return { kind: 'tuple', brackets: open === '\\langle' ? '()' : `${open}${close}`, items };
  }

  #closedSet(): MathNode {
    // `\{x : x > 3\}` is what its condition says.
    if (this.#tokens.takeMatch(/ ?[a-zA-Z] ?(?:\\in ?\\mathbb ?\{?R\}? ?)?[|:] ?/y)) {
      const condition = this.#relation();
      this.#expect('\\}');
      return condition.kind === 'relation' ? condition : this.#unreadable();
    }
    const items = this.#items([]);
    this.#expect('\\}');
    return { kind: 'set', items };
  }

  #environment(): MathNode {
    const name = this.#tokens.takeMatch(/\{((?:[pbB]|small)?matrix|array)\}(?:\{[lcr| ]*\})?/y)?.[1];
    if (name === undefined) return this.#unreadable();
    const rows: MathNode[][] = [];
    do rows.push(this.#row());
    while (this.#tokens.take('\\\\') && this.#tokens.peek() !== '\\end');
    this.#expect('\\end');
    if (!this.#tokens.takeMatch(/\{[a-zA-Z]+\}/y)) this.#unreadable();
    return { kind: 'matrix', rows };
  }

  #row(): MathNode[] {
    const cells = [this.#item()];
    while (this.#tokens.take('&')) cells.push(this.#item());
    return cells;
  }

  #words(): MathNode {
    const text = this.#tokens.takeMatch(/ ?\{([^{}]*)\}/y)?.[1];
    if (text === undefined) return this.#unreadable();
    return wordsNode(text);
  }

  #unreadable(): never {
    throw new Undecidable(`can't read ${JSON.stringify(this.#tokens.peek() || 'the end')}`);
  }

  #expect(token: string): void {
    if (!this.#tokens.take(token)) this.#unreadable();
  }

  #sum(): MathNode {
    const terms = [this.#signedProduct()];
    while (/^(?:[+-]|\\pm|\\mp)$/.test(this.#tokens.peek())) terms.push(this.#term());
    return terms.length === 1 ? terms[0]! : { kind: 'sum', terms };
  }

  #term(): MathNode {
    return this.#takeMinus() ? { kind: 'negative', of: this.#signedProduct() } : this.#signedProduct();
  }

  #signedProduct(): MathNode {
    return this.#takeMinus() ? negativeNode(this.#product()) : this.#product();
  }

  /** Reads a sign, if there is one; true for a minus. */
  #takeMinus(): boolean {
    if (this.#tokens.take('+')) return false;
    if (this.#tokens.take('-')) return true;
    const isSwapped = this.#tokens.peek() === '\\mp';
    if (!this.#tokens.take('\\pm', '\\mp')) return false;
    this.#doubleSigns += isSwapped ? 'm' : 'p';
    return (this.#plusMinus === '-') !== isSwapped;
  }

  #product(): MathNode {
    let factors = [this.#factor()];
    for (;;) {
      if (this.#takeDivision()) {
        factors = [{ kind: 'quotient', over: productNode(factors), under: this.#signedFactor() }];
      } else if (this.#tokens.peek() === '\\times' && factors.some(isVector)) {
        throw new Undecidable('a product of vectors');
      } else if (this.#tokens.take('*', '\\cdot', '\\times')) factors.push(this.#signedFactor());
      else if (this.#startsFactor()) factors.push(this.#factor());
      else return productNode(factors);
    }
  }

  /** `2:3` is a ratio, while `2:30` may be a time of day. */
  #takeDivision(): boolean {
    if (this.#tokens.take('/', '\\div')) return true;
    return this.#tokens.takeMatch(/ ?:(?! ?\d\d(?!\d))(?=[^:]*$)/y) !== undefined;
  }

  #startsFactor(): boolean {
    const next = this.#tokens.peek();
    // A number right after something, as in `x2`, is a slip and not a product.
    if (/^[a-zA-Z({[]$/.test(next)) return true;
    if (next === '|') return this.#bars === 0;
    return isOperand(next);
  }

  #signedFactor(): MathNode {
    if (this.#tokens.take('-')) return { kind: 'negative', of: this.#factor() };
    this.#tokens.take('+');
    return this.#factor();
  }

  #factor(): MathNode {
    let node = this.#base();
    if (this.#tokens.take('^')) node = { kind: 'power', base: node, exponent: this.#exponent() };
    if (this.#tokens.take('!')) node = { kind: 'apply', name: 'factorial', args: [node] };
    if (this.#functions > 0 && this.#tokens.takeMatch(/ ?\\text\{degrees\}/y)) {
      node = productNode([node, degree]);
    }
    return node;
  }

  /** `x^10` is typed by people who mean `x^{10}`. */
  #exponent(): MathNode {
    const digits = this.#tokens.takeMatch(/ ?(-?\d+)/y)?.[1];
    return digits === undefined ? this.#argument() : wholeNode(digits);
  }

  #base(): MathNode {
    if (++this.#depth > MAX_DEPTH) throw new Undecidable(`brackets more than ${MAX_DEPTH} deep`);
    const node = this.#operand();
    this.#depth -= 1;
    return node;
  }

  #operand(): MathNode {
    const token = this.#tokens.next();
    if (/^[\d.]/.test(token) && token !== '.') return readNumber(token, this.#tokens);
    if (token === '(' || token === '[' || token === '\\{' || token === '\\langle' || token === '{') {
      return this.#insideBrackets(() => this.#bracketed(token));
    }
    if (/^[a-zA-Z]$/.test(token)) return this.#letter(token);
    if (token.startsWith('\\')) return this.#command(token);
    if (token === '|') return this.#absolute('|');
    return this.#unreadable();
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
    if (token === '\\frac') return { kind: 'quotient', over: this.#argument(), under: this.#argument() };
    if (token === '\\sqrt') return this.#root();
    if (token === '\\binom') return { kind: 'apply', name, args: [this.#argument(), this.#argument()] };
    if (token === '\\pi') return { kind: 'constant', name: 'pi' };
    if (token === '\\infty') return { kind: 'constant', name: 'infinity' };
    if (token === '\\lvert') return this.#absolute('\\rvert');
    if (token === '\\lfloor') return this.#closed('floor', '\\rfloor');
    if (token === '\\lceil') return this.#closed('ceil', '\\rceil');
    if (token === '\\begin') return this.#insideBrackets(() => this.#environment());
    if (token === '\\text') return this.#words();
    if (token === '\\mathbb' || accent.test(token)) {
      return { kind: 'letter', name: `${token}${this.#rawArgument()}` };
    }
    if (prefixFunctions.has(name)) return this.#applied(name);
    if (letterCommand.test(token)) return this.#letter(token);
    return this.#unreadable();
  }

  #letter(token: string): MathNode {
    // Four letters in a row are a word.
    if (token.length === 1 && this.#tokens.startsWith(/[a-zA-Z]{3}/y)) this.#unreadable();
    if (token === 'e' || token === 'i') return { kind: 'constant', name: token };
    return { kind: 'letter', name: this.#tokens.take('_') ? `${token}_${this.#rawArgument()}` : token };
  }

  /** The text of a subscript. */
  #rawArgument(): string {
    const [, group, single] = this.#tokens.takeMatch(/ ?(?:\{([\w+-]{1,20})\}|(\w))/y) ?? [];
    return group ?? single ?? this.#unreadable();
  }

  #root(): MathNode {
    if (!this.#tokens.take('[')) return { kind: 'apply', name: 'sqrt', args: [this.#argument()] };
    const root = this.#insideBrackets(() => this.#sum());
    this.#expect(']');
    return { kind: 'apply', name: 'root', args: [root, this.#argument()] };
  }

  #absolute(close: string): MathNode {
    this.#bars += close === '|' ? 1 : 0;
    const node = this.#closed('abs', close);
    this.#bars -= close === '|' ? 1 : 0;
    return node;
  }

  #closed(name: string, close: string): MathNode {
    const of = this.#sum();
    this.#expect(close);
    return { kind: 'apply', name, args: [of] };
  }

  #applied(name: string): MathNode {
    const base = name === 'log' ? [this.#tokens.take('_') ? this.#argument() : ten] : [];
    const exponent = this.#tokens.take('^') ? this.#exponent() : one;
    const inverse = inverses[name];
    const args = [...base, this.#functionArgument()];
    const isInverse = inverse !== undefined && exponent.kind === 'negative' && isOne(exponent.of);
    if (isInverse) return { kind: 'apply', name: inverse, args };
    const applied: MathNode = { kind: 'apply', name, args };
    return exponent === one ? applied : { kind: 'power', base: applied, exponent };
  }

  /** Brackets end the argument; without them it goes on to the next sign or function. */
  #functionArgument(): MathNode {
    this.#functions += 1;
    const hasBrackets = /^[({[]$/.test(this.#tokens.peek());
    const factors = [this.#factor()];
    while (!hasBrackets && this.#startsFactor() && !prefixFunctions.has(this.#tokens.peek().slice(1))) {
      factors.push(this.#factor());
    }
    this.#functions -= 1;
    return productNode(factors);
  }

  /** What stands after `^`, `\frac` or `\sqrt`: a group, one digit, or one other token. */
  #argument(): MathNode {
    const digit = this.#tokens.takeDigit();
    return digit === undefined ? this.#base() : wholeNode(digit);
  }
}

function isVector(node: MathNode): boolean {
  return node.kind === 'letter' && node.name.startsWith('\\vec');
}

function isOne(node: MathNode): boolean {
  return node.kind === 'number' && node.value.over === 1n && node.value.under === 1n;
}
