/** What may have happened to a benchmark's question on its way into a task file. */
export const waysToLeak = ['verbatim', 'upper_case', 'punctuation', 'embedded'] as const;
/** See {@link waysToLeak}. */
export type WayToLeak = (typeof waysToLeak)[number];

/** A benchmark's question as it might be found among tasks. */
export function plantLeak(way: WayToLeak, question: string): string {
  switch (way) {
    case 'verbatim':
      return question;
    case 'upper_case':
      return question.toUpperCase();
    case 'punctuation':
      return question
        .replace(/[?.,](?=\s|$)/g, ' ; ')
        .replace(/'/g, '’')
        .replace(/ - /g, ' – ');
    case 'embedded':
      return `My teacher gave me this for the weekend: ${question}\nPlease explain every step, and name your sources.`;
  }
}
