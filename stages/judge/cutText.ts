/** Characters of a text that evidence keeps. */
const mostCharacters = 300;

/** The beginning of a text for evidence, and how long it was where it was cut. */
export function cutText(text: string): string {
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters).toWellFormed()}… (${text.length} characters)`;
}
