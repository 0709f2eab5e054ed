import { normalForm } from '../../../schemas/normalForm.ts';
import type { TextFinding } from '../finding.ts';

/** A pattern whose every match is a finding. */
interface CharacterRule {
  readonly rule: TextFinding['rule'];
  readonly pattern: RegExp;
  message(found: string): string;
}

const characterRules: readonly CharacterRule[] = [
  {
    rule: 'byte_order_mark',
    pattern: /^\uFEFF+/g,
    message: () => 'the text begins with a byte order mark (U+FEFF); take it out',
  },
  {
    rule: 'carriage_return',
    pattern: /\r\n?/g,
    message: (found) => `${found === '\r' ? 'a lone CR' : 'CRLF'} where a line feed belongs`,
  },
  {
    rule: 'nul_character',
    pattern: /\0/g,
    message: () => 'a NUL character (U+0000); the text was made from binary data',
  },
  {
    rule: 'lone_surrogate',
    pattern: /\p{Surrogate}/gu,
    message: (found) => `${JSON.stringify(found)} is half of a surrogate pair; a character was cut in two`,
  },
  {
    rule: 'control_token',
    pattern: /<[|｜][^<>\s]{1,64}[|｜]>/g,
    message: (found) => `${found} becomes a control token in training; neutralise it as <\\${found.slice(1)}`,
  },
];

/** What is wrong with a text's characters, whatever its tags. */
export function* textFindings(text: string): Generator<TextFinding> {
  for (const { rule, pattern, message } of characterRules) {
    // The one pattern that no engine searches fast, for what hardly ever occurs.
    if (rule === 'lone_surrogate' && text.isWellFormed()) continue;
    for (const match of text.matchAll(pattern)) {
      yield { rule, offset: match.index, message: message(match[0]) };
    }
  }
  yield* normalFormFinding(text);
}

/** One finding for the text: where it is first not in NFC. */
function* normalFormFinding(text: string): Generator<TextFinding> {
  const normal = normalForm(text, 'NFC');
  if (normal === text) return;
  let offset = 0;
  while (text[offset] === normal[offset]) offset += 1;
  const code = text.codePointAt(offset) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  yield {
    rule: 'not_nfc',
    offset,
    message: `${name} is not in Unicode normal form C here; tokenizers rewrite it and masks shift`,
  };
}
