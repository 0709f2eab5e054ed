/** Ends with what may be an abbreviated title or name (`St.`, `J.`), so that its sentence may go on. */
const abbreviated = /(?:^|[\s(])\p{Lu}\p{L}{0,3}\.\s*$/u;

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Characters from which on a paragraph is cut at the end of a sentence. */
const LONG_LINE = 400;

/**
 * The rows and paragraphs of a text, in order and as they stand there, long paragraphs cut after sentences. A model names
 * them by number: it copies badly and slowly, and miscounts sentences.
 *
 * @param maxChars - Characters after which no line begins
 */
export function documentLines(text: string, maxChars: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.slice(0, maxChars).split('\n')) {
    let line = '';
    for (const { segment } of sentences.segment(paragraph)) {
      const isFull = line.length + segment.length > LONG_LINE && !abbreviated.test(line);
      if (isFull) lines.push(line.trim());
      line = isFull ? segment : line + segment;
    }
    lines.push(line.trim());
  }
  return lines.filter((line) => line !== '');
}
