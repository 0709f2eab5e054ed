// Sticky, so that a quote that is not closed is looked for once.
const item = /[\s,]*(?:'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)")/gsy;
const escaped = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs;
const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/**
 * The texts of a list as Python's `repr` writes it, with commas, or NumPy's, with spaces: so pandas writes lists into
 * CSV files. Undefined for any other text, and for a list of anything but texts.
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
