import { UserError } from './userError.ts';

const plainWord = /^[\w@%+=:,./-]+$/;

/**
 * Quotes a text as one word of a POSIX shell; plain words are unchanged.
 * @throws UserError for control characters, which make scripts unreadable
 */
export function shellWord(text: string): string {
  if (/[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new UserError(
      `expected one line of text, got ${JSON.stringify(text)}; leave out line feeds and control characters`,
    );
  }
  return quoteShellWord(text);
}

/** Variant for any characters, such as a program of several lines. */
export function quoteShellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
