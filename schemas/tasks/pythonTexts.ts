const pythonText = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs;
const escaped = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs;
const signs: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/**
 * The texts of a list as Python's `repr` writes it, with commas, or NumPy's, with spaces: so pandas writes lists into
 * CSV files. Undefined for any other text, and for a list of anything but texts.
 */
export function pythonTexts(text: string): string[] | undefined {
  const [, inner] = /^(?:array\()?\[(.*)\](?:, dtype=object\))?$/s.exec(text.trim()) ?? [];
  if (inner === undefined || !/^[\s,]*$/.test(inner.replace(pythonText, ''))) return undefined;
  const texts = [...inner.matchAll(pythonText)].map(([, single, double]) =>
    unescaped(single ?? double ?? ''),
  );
  return texts.length === 0 ? undefined : texts;
}

function unescaped(text: string): string {
  return text.replace(escaped, (_, x?: string, u?: string, long?: string, sign = '') => {
    const code = x ?? u ?? long;
    if (code === undefined) return signs[sign] ?? sign;
    const point = Number.parseInt(code, 16);
    return point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  });
}
