/** Text with every run of white space as one space, and none at the ends. */
export function foldSpace(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}
