import type { WorkBudget } from './undecidable.ts';

const token = / ?(\d+(?:\.\d*)?|\.\d+|\\[a-zA-Z]+|\\.|.|$)/suy;

/** Reads a normalised LaTeX text token by token: numbers, commands, single characters; '' at the end. */
export class LatexTokens {
  readonly #text: string;
  readonly #work: WorkBudget;
  #at = 0;
  #next: { readonly token: string; readonly end: number } | undefined;

  constructor(text: string, work: WorkBudget) {
    this.#text = text;
    this.#work = work;
  }

  /** Place of the next token in the text; setting it goes back. */
  get at(): number {
    return this.#at;
  }

  set at(place: number) {
    this.#at = place;
    this.#next = undefined;
  }

  /** The token that comes next; it stays. */
  peek(): string {
    this.#next ??= this.#read();
    return this.#next.token;
  }

  /** Reads a token. */
  next(): string {
    const found = this.peek();
    this.at = this.#next!.end;
    return found;
  }

  /** Reads a token if it is this one. */
  take(...expected: readonly string[]): boolean {
    if (!expected.includes(this.peek())) return false;
    this.next();
    return true;
  }

  /** Reads one digit and leaves those after it: `\frac43` is 4/3. */
  takeDigit(): string | undefined {
    return this.takeMatch(/ ?(\d)/y)?.[1];
  }

  /** Reads what a sticky pattern matches here. */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (!match) return undefined;
    this.at = pattern.lastIndex;
    return match;
  }

  /** True when a sticky pattern matches here. */
  startsWith(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  #read(): { token: string; end: number } {
    this.#work.spend(1);
    token.lastIndex = this.#at;
    return { token: token.exec(this.#text)![1]!, end: token.lastIndex };
  }
}

/** Commands that are one letter, or a set that is known by name. */
export const letterCommand =
  /^\\(?:alpha|beta|gamma|delta|varepsilon|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|rho|sigma|tau|upsilon|varphi|phi|chi|psi|omega|Gamma|Delta|Theta|Lambda|Xi|Sigma|Phi|Psi|Omega|ell|emptyset)$/;

/** Marks that make another letter of a letter. */
export const accent = /^\\(?:hat|vec|bar|overline|tilde|dot)$/;

/** What a function to the power -1 is. */
export const inverses: Readonly<Record<string, string>> = { sin: 'arcsin', cos: 'arccos', tan: 'arctan' };

/** Functions whose argument needs no brackets. */
export const prefixFunctions = new Set(
  ['sin', 'cos', 'tan', 'cot', 'sec', 'csc', 'sinh', 'cosh', 'tanh', 'arcsin', 'arccos', 'arctan'].concat([
    'ln',
    'log',
    'exp',
  ]),
);

/** Whether a command begins an operand, so that standing beside another one it multiplies. */
export function isOperand(command: string): boolean {
  if (!command.startsWith('\\')) return false;
  return (
    prefixFunctions.has(command.slice(1)) ||
    letterCommand.test(command) ||
    accent.test(command) ||
    /^\\(?:frac|sqrt|binom|pi|infty|lvert|lfloor|lceil|begin|mathbb)$/.test(command)
  );
}
