/** A mathematical answer taken apart at its outermost level. */
export interface LatexParts {
  /** What holds the items, brackets included, so that `[1,2)` is not `(1,2)`. */
  readonly kind: string;
  readonly ordered: boolean;
  readonly items: readonly string[];
}

const openings = new Set(['(', '[', '{', '\\{']);
const closings = new Set([')', ']', '}', '\\}']);
const matrix = /^\\begin\{([a-z]*matrix)\}(.*)\\end\{\1\}$/s;

/** Splits a normalised answer into the items of its matrix, union, list, set, tuple, interval or equation. */
export function latexParts(text: string): LatexParts | undefined {
  const [, , cells] = matrix.exec(text) ?? [];
  if (cells !== undefined) return matrixParts(cells);
  const union = splitTop(text, '\\cup');
  if (union.length > 1) return { kind: 'union', ordered: false, items: union };
  const list = splitTop(text, ',');
  if (list.length > 1) return { kind: 'set', ordered: false, items: list.flatMap(bothSigns) };
  const bracketed = bracketParts(text);
  if (bracketed) return bracketed;
  const signs = bothSigns(text);
  if (signs.length > 1) return { kind: 'set', ordered: false, items: signs };
  const equation = splitTop(text, '=');
  return equation.length === 2 ? { kind: 'equation', ordered: true, items: equation } : undefined;
}

function matrixParts(cells: string): LatexParts {
  const rows = cells
    .replace(/\\\\$/, '')
    .split('\\\\')
    .map((row) => row.split('&'));
  return { kind: `matrix ${rows.map((row) => row.length)}`, ordered: true, items: rows.flat() };
}

/** `3\pm2` is both `3+2` and `3-2`. */
function bothSigns(text: string): string[] {
  if (!/\\(?:pm|mp)(?![a-zA-Z])/.test(text)) return [text];
  const choose = (plus: string, minus: string) =>
    text.replace(/\\pm(?![a-zA-Z]) ?/g, plus).replace(/\\mp(?![a-zA-Z]) ?/g, minus);
  return [choose('+', '-'), choose('-', '+')];
}

function bracketParts(text: string): LatexParts | undefined {
  const open = /^(?:\\\{|[([])/.exec(text)?.[0];
  const close = /(?:\\\}|[)\]])$/.exec(text)?.[0];
  if (open === undefined || close === undefined || text.length < open.length + close.length) return undefined;
  const inner = text.slice(open.length, text.length - close.length);
  const items = splitTop(inner, ',');
  if (open === '\\{' && close === '\\}')
    return { kind: 'set', ordered: false, items: items.flatMap(bothSigns) };
  if (items.length > 1) return { kind: `${open}${close}`, ordered: true, items };
  // Brackets around one thing group it, unless they close before the end: `(a)(b)`.
  return isBalanced(inner) ? { kind: 'group', ordered: true, items } : undefined;
}

/** Splits where the separator stands outside all brackets. Intervals such as `(3,4]` close what they opened. */
function splitTop(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { token, at } of tokensOf(text)) {
    if (openings.has(token)) depth += 1;
    else if (closings.has(token)) depth -= 1;
    else if (token === separator && depth === 0) {
      parts.push(text.slice(from, at).trim());
      from = at + token.length;
    }
  }
  return [...parts, text.slice(from).trim()];
}

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const { token } of tokensOf(text)) {
    if (openings.has(token)) depth += 1;
    else if (closings.has(token)) depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

function* tokensOf(text: string): Generator<{ token: string; at: number }> {
  for (const match of text.matchAll(/\\[a-zA-Z]+|\\.|./gs)) yield { token: match[0], at: match.index };
}
