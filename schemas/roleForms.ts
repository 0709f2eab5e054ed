/**
 * What forms of roles' answers say of a member. They stand without quotes (`{"answer": <the final value alone>}`): a
 * small model copies a text that is JSON already, such as `["..."]`, and the grammar of its answer allows it.
 */
export const shownForms = {
  plan: '[<first step>, <next step>, <and so on>]',
  reflection: '<what the results show, and what is still open>',
  answer: {
    qa: '<only the value, copied from a result>',
    math: '<the final value alone, no words>',
    code: '<the whole program>',
  },
} as const;

const copied: ReadonlySet<string> = new Set(
  [shownForms.answer, { plan: shownForms.plan, reflection: shownForms.reflection }]
    .flatMap((forms) => Object.values<string>(forms))
    .flatMap((form) => form.match(/(?<=<)[^>]+/g) ?? [form])
    .map(folded),
);

/** True for words that say nothing of the task: those of an answer's form, or nothing but dots. */
export function isFormText(text: string): boolean {
  const words = folded(text);
  return words === '' || copied.has(words);
}

/** A text without case, its number in a list, and the quotes, brackets and dots around it. */
function folded(text: string): string {
  const bare = text.replace(/^\s*<([^<>]+)>\s*$/, '$1');
  return bare.toLowerCase().replace(/^(?:[\s"'.…]|\d+\.\s)+|[\s"'.…]+$/g, '');
}
