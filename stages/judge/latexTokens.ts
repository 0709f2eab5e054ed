const token = / ?(\d+(?:\.\d*)?|\.\d+|\\[a-zA-Z]+|.|$)/sy;

/** Reads a normalised LaTeX text token by token: numbers, commands, single characters; '' at the end. */
export class LatexTokens {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The token that comes next; it stays. */
  peek(): string {
    return this.#match()[1]!;
  }

  /** Reads a token. */
  next(): string {
    const [whole, found] = this.#match();
    this.#at += whole.length;
    return found!;
  }

  /** Reads a token if it is this one. */
  take(expected: string): boolean {
    if (this.peek() !== expected) return false;
    this.next();
    return true;
  }

  /** Reads one digit and leaves those after it: `\frac43` is 4/3. */
  takeDigit(): number | undefined {
    const [, digit] = /^ ?(\d)/.exec(this.#text.slice(this.#at, this.#at + 2)) ?? [];
    if (digit === undefined) return undefined;
    this.#at += this.#text[this.#at] === ' ' ? 2 : 1;
    return Number(digit);
  }

  /** True when the rest begins like this; `pattern` is anchored and looks at no more than 60 characters. */
  startsWith(pattern: RegExp): boolean {
    return pattern.test(this.#text.slice(this.#at, this.#at + 60));
  }

  #match(): RegExpExecArray {
    token.lastIndex = this.#at;
    return token.exec(this.#text)!;
  }
}
