/**
 * The character that byte-level vocabularies write for each byte: printable Latin-1 stands for itself, the other
 * bytes are numbered from U+0100 on (GPT-2's `bytes_to_unicode`).
 */
const characterOfByte: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(printable ? byte : next++);
  });
})();

const byteOfCharacter = new Map(characterOfByte.map((character, byte) => [character, byte]));

/** The bytes that a token of a byte-level vocabulary stands for; undefined when it holds any other character. */
export function bytesOfToken(token: string): Uint8Array | undefined {
  const bytes = Uint8Array.from(token, (character) => byteOfCharacter.get(character) ?? -1);
  return [...token].every((character) => byteOfCharacter.has(character)) ? bytes : undefined;
}
