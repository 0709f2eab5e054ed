/**
 * Descriptions of members in forms of roles' answers. Unquoted (`{"answer": <the final value alone>}`): a small model
 * copies text that is already JSON, such as `["..."]`, and its answer's grammar allows it.
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

/** True for text without content: copied from an answer's form, or only dots. */
export function isFormText(text: string): boolean {
  const words = folded(text);
  return words === '' || copied.has(words);
}

/** Text without case, list number, and surrounding quotes, brackets and dots. */
function folded(text: string): string {
  const bare = text.replace(/^\s*<([^<>]+)>\s*$/, '$1');
  return bare.toLowerCase().replace(/^(?:[\s"'.…]|\d+\.\s)+|[\s"'.…]+$/g, '');
}
