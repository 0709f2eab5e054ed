import { isCounted, nounName } from '../../../schemas/answers/units.ts';
import { LatexTokens, withBase, wordsNode } from './latexTokens.ts';
import { emptySet, isExpression, type MathNode, plainSize } from './mathNode.ts';
import { ExpressionParser } from './parseExpression.ts';
import { Undecidable, type WorkBudget } from './undecidable.ts';

/** Canonical spelling of each relation sign. */
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

/** Words on their own, at least one with three letters or more: not a product of letters. */
const bareWords =
  / ?(?=[a-zA-Z ]*[a-zA-Z]{3})([a-zA-Z](?:[a-zA-Z ]|(?<=[a-zA-Z]{3})-(?=[a-zA-Z]{3}))*)(?=$|[,;)\]]|\\\})/y;

/** Parses a normalised answer. Throws `Undecidable` if unreadable or too expensive. */
export function parseMath(text: string, work: WorkBudget): MathNode {
  return new MathParser(new LatexTokens(text, work)).answer();
}

/** Parses answers beyond expressions: lists, sets, tuples, relations, amounts, matrices, words. */
class MathParser extends ExpressionParser {
  answer(): MathNode {
    const items = this.#items(['']);
    if (items.length === 1) items[0] = this.#divided(items[0]!);
    if (this.tokens.peek() !== '') this.unreadable();
    return items.length === 1 ? items[0]! : { kind: 'list', items };
  }

  /** Items between commas, each `\pm` as two. Leaves the terminating token. */
  #items(ends: readonly string[]): MathNode[] {
    const items: MathNode[] = [];
    do items.push(...this.#bothSigns());
    while (this.tokens.take(',', ';') && !ends.includes(this.tokens.peek()));
    return items;
  }

  /** Expands `3\pm2` to `3+2` and `3-2`. */
  #bothSigns(): MathNode[] {
    const from = this.tokens.at;
    const [outerSigns, outerSign] = [this.doubleSigns, this.plusMinus];
    this.doubleSigns = '';
    this.plusMinus = '+';
    const items = [this.#item()];
    if (this.doubleSigns !== '') {
      if (/p.*p|m.*m/.test(this.doubleSigns)) throw new Undecidable('whether signs go together');
      this.tokens.at = from;
      this.plusMinus = '-';
      items.push(this.#item());
    }
    this.doubleSigns = outerSigns;
    this.plusMinus = outerSign;
    return items;
  }

  #item(): MathNode {
    const words = this.tokens.takeMatch(bareWords);
    return words ? wordsNode(words[1]!) : this.#relation();
  }

  #relation(): MathNode {
    const sides = [this.#sets()];
    const operators: string[] = [];
    while (Object.hasOwn(relations, this.tokens.peek())) {
      operators.push(relations[this.tokens.next()]!);
      sides.push(this.#sets());
    }
    return operators.length === 0 ? sides[0]! : { kind: 'relation', operators, sides };
  }

  #sets(): MathNode {
    let node = this.#amount();
    while (/^\\(?:cup|cap|setminus)$/.test(this.tokens.peek())) {
      const operator = this.tokens.next();
      const next = this.#amount();
      const before =
        node.kind === 'sets' && node.operator === operator && operator !== '\\setminus' ? node.items : [node];
      node = { kind: 'sets', operator, items: [...before, next] };
    }
    return node;
  }

  /** Expression with a following unit: `5\text{ cm}^2`, `3\text{m}/\text{s}`. */
  #amount(): MathNode {
    const of = this.sum();
    let [unit, words] = ['', ''];
    for (;;) {
      const found = this.tokens.takeMatch(/ ?(\/?) ?\\text\{([^{}]*)\}(?:\^\{?(-?\d)\}?)?/y);
      if (!found) break;
      unit += ` ${found[1]}${found[2]}${found[3] === undefined ? '' : `^${found[3]}`}`;
      words += ` ${found[2]}`;
    }
    const name = nounName(unit);
    if (name === '' && /[^\s\w.,;/]/.test(words) && !/[%°$€£¥₹]/.test(words)) this.unreadable();
    if (name === '' || of.kind === 'words') return of;
    return { kind: 'amount', of, unit: unit.trim(), isCount: isCounted(words, plainSize(of)) };
  }

  protected override bracketed(open: string): MathNode {
    const closes = closings[open]!;
    if (open === '\\{' && this.tokens.take('\\}')) return emptySet;
    if (open === '\\{') return this.#closedSet();
    const rows = open === '[' ? this.#rowsInBrackets() : undefined;
    if (rows) return { kind: 'matrix', rows };
    const items = [this.#item()];
    if (open === '{') items[0] = this.#divided(items[0]!);
    while (this.tokens.take(',', ';')) items.push(this.#item());
    const close = this.tokens.peek();
    if (!closes.includes(close) || (items.length === 1 && close !== closes[0])) this.unreadable();
    this.tokens.next();
    if (items.length === 1) return withBase(items[0]!, this.tokens) ?? items[0]!;
    if (open === '{') return { kind: 'list', items };
    return { kind: 'tuple', brackets: open === '\\langle' ? '()' : `${open}${close}`, items };
  }

  /** `7 \over 12` after the upper part; also `5 \choose 2`. */
  #divided(over: MathNode): MathNode {
    const [isQuotient, isChoice] = [this.tokens.take('\\over'), this.tokens.take('\\choose')];
    if (!isQuotient && !isChoice) return over;
    const under = this.#item();
    if (isQuotient === isChoice || !isExpression(over) || !isExpression(under)) this.unreadable();
    return isQuotient
      ? { kind: 'quotient', over, under }
      : { kind: 'apply', name: 'binom', args: [over, under] };
  }

  /** `[[1,2],[3,4]]` after the first bracket; undefined, without reading, for anything else. */
  #rowsInBrackets(): MathNode[][] | undefined {
    if (!this.tokens.startsWith(/ ?\[[^[\]]+\](?: ?, ?\[[^[\]]+\])+ ?\]/y)) return undefined;
    const from = this.tokens.at;
    const rows: MathNode[][] = [];
    do {
      this.expect('[');
      rows.push(this.#items([]));
      this.expect(']');
    } while (this.tokens.take(','));
    this.expect(']');
    if (rows.every((row) => row.length === rows[0]!.length)) return rows;
    this.tokens.at = from;
    return undefined;
  }

  #closedSet(): MathNode {
    // `\{x : x > 3\}` means its condition.
    if (this.tokens.takeMatch(/ ?[a-zA-Z] ?(?:\\in ?\\mathbb ?\{?R\}? ?)?[|:] ?/y)) {
      const condition = this.#relation();
      this.expect('\\}');
      return condition.kind === 'relation' ? condition : this.unreadable();
    }
    const items = this.#items([]);
    this.expect('\\}');
    return { kind: 'set', items };
  }

  protected override environment(): MathNode {
    const name = this.tokens.takeMatch(/\{((?:[pbB]|small)?matrix|array)\}(?:\{[lcr| ]*\})?/y)?.[1];
    if (name === undefined) return this.unreadable();
    const rows: MathNode[][] = [];
    do rows.push(this.#row());
    while (this.tokens.take('\\\\') && this.tokens.peek() !== '\\end');
    this.expect('\\end');
    if (!this.tokens.takeMatch(/\{[a-zA-Z]+\}/y)) this.unreadable();
    return { kind: 'matrix', rows };
  }

  #row(): MathNode[] {
    const cells = [this.#item()];
    while (this.tokens.take('&')) cells.push(this.#item());
    return cells;
  }

  protected override words(): MathNode {
    const text = this.tokens.takeMatch(/ ?\{([^{}]*)\}/y)?.[1];
    if (text === undefined) return this.unreadable();
    return wordsNode(text);
  }
}
