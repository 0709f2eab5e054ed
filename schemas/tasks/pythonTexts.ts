// Sticky, so that an unclosed quote is searched for only once.
const item = /[\s,]*(?:'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)")/gsy;
const escaped = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs;
const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/**
 * Texts of a list in Python's `repr`, with commas, or NumPy's, with spaces: pandas writes lists into CSV files so.
 * Undefined for other text, and for a list of other values.
 */
export function pythonTexts(text: string): string[] | undefined {
  const [, inner] = /^(?:array\()?\[(.*)\](?:, dtype=object\))?$/s.exec(text.trim()) ?? [];
  const items = [...(inner ?? '').matchAll(item)];
  const last = items.at(-1);
  if (!last || inner!.slice(last.index + last[0].length).trim() !== '') return undefined;
  return items.map(([, single, double]) => unescaped(single ?? double ?? ''));
}

function unescaped(text: string): string {
  return text.replace(escaped, (_, x?: string, u?: string, long?: string, sign = '') => {
    const code = x ?? u ?? long;
    if (code === undefined) return signs[sign] ?? sign;
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  });
}
