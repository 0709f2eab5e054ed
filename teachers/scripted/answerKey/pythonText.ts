/**
 * A Python string literal of a text, in ASCII without `<` and backticks: no answer of a task can then close a fence,
 * look like a tag, or change under Unicode normalisation.
 */
export function pythonText(text: string): string {
  const body = Array.from(text, (character) => escaped(character)).join('');
  return `"${body}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  if (character === '"' || character === '\\') return `\\${character}`;
  if (character === '\n') return '\\n';
  if (code >= 0x20 && code < 0x7f && character !== '<' && character !== '`') return character;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** A Python list of string literals, a line each. */
export function pythonTextList(texts: readonly string[]): string {
  return `[\n${texts.map((text) => `    ${pythonText(text)},\n`).join('')}]`;
}
