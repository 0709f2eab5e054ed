/** What forms of roles' answers said of each member in versions that did not write dots there: small models copied it. */
export const roleForms = {
  choice: 'what is known, what is missing, and why this action comes next',
  verification: 'what each condition of the question needs, and what the results say',
  grades: 'the reasons for each grade',
  reflectionThought: 'what to look at in the results, and why',
  reflection: 'what the last result shows, what is settled, and what is still open',
  answerThought: 'how the answer follows from the results',
  answer: 'the answer',
  program: 'the program',
  planThought: 'what the task comes down to, and why this order',
  planStep: 'a step, with the tool that serves it',
} as const;

const copied: ReadonlySet<string> = new Set(Object.values(roleForms).map(folded));

/** True for words that say nothing of the task: those of an answer's form, or nothing but dots. */
export function isFormText(text: string): boolean {
  const words = folded(text);
  return words === '' || copied.has(words);
}

/** A text without case, its number in a list, and the quotes and dots around it. */
function folded(text: string): string {
  return text.toLowerCase().replace(/^(?:[\s"'.…]|\d+\.\s)+|[\s"'.…]+$/g, '');
}
