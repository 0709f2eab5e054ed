import { UserError } from './userError.ts';

const plainWord = /^[\w@%+=:,./-]+$/;

/**
 * A text as one word of a POSIX shell, which gives it back as it is; plain words stay as they are.
 *
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

/** The same for a text of any characters, such as a program of several lines. */
export function quoteShellWord(text: string): string {
  return plainWord.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
