import type { JsonObject } from '../../../base/json.ts';
import { constantsOf, linksOf } from '../../../schemas/synthesis/form.ts';
import { amountOf, termKey } from '../form/termKey.ts';
import type { CandidateRule, Examined } from './examined.ts';
import { shownIn } from './shownIn.ts';

/** Words for a text that the solver does not have. */
const textWords =
  '(?:web ?)?(?:page|site|article|document|passage|text|excerpt|paragraph|snippet|infobox|table|list|source|context|section|quote|description)s?';
const dependent = new RegExp(
  [
    `\\b(?:this|these|that|those|the (?:given|following|above|provided|attached|same|previous|quoted)) ${textWords}\\b`,
    `\\b(?:the|in|by|from|according to|on) (?:the )?${textWords}\\b(?= (?:says?|states?|mentions?|describes?|above|below|given|provided)\\b)`,
    `\\b(?:according to|mentioned in|stated in|described in|listed in|shown in|given in|based on) (?:the|this|a) ${textWords}\\b`,
    '\\b(?:mentioned|listed|named|described|stated|given|shown) (?:above|below|here|earlier|before)\\b',
    '\\b(?:the above|the following|the aforementioned|as mentioned|as stated)\\b',
  ].join('|'),
  'i',
);

/** The checks that a question's words are put to. */
export const wordRules: readonly CandidateRule[] = [
  { name: 'standalone', reason: 'not_standalone', find: dependentWords },
  { name: 'answer_hidden', reason: 'answer_in_question', find: answerShown },
  { name: 'links_hidden', reason: 'link_in_question', find: linkShown },
];

function dependentWords(examined: Examined): JsonObject | undefined {
  const { question = '' } = examined.candidate;
  const bare = withoutNames(examined);
  const words = dependent.exec(bare)?.[0];
  return words === undefined && bare.trim() !== '' ? undefined : { words: words ?? '', question };
}

/** The question without the names that it must say: `Three Anchors Yard` says no number, `The Passage` is not a text. */
function withoutNames({ candidate: { question = '', form } }: Examined): string {
  return constantsOf(form).reduce((text, name) => text.replaceAll(name, '…'), question);
}

/** The answer in any of its names and spellings. */
function answerShown(examined: Examined): JsonObject | undefined {
  const { question = '', answers, chain } = examined.candidate;
  const keys = new Set(answers.map(termKey));
  const aliases = chain.flatMap(({ value, aliases = [] }) => (keys.has(termKey(value)) ? aliases : []));
  const text = (name: string) => (amountOf(termKey(name)) ? withoutNames(examined) : question);
  const shown = [...answers, ...aliases].find((name) => shownIn(name, text(name)));
  return shown === undefined ? undefined : { shown, question };
}

/** The name of a link, or the exact value behind a blurred one. */
function linkShown(examined: Examined): JsonObject | undefined {
  const { question = '', form } = examined.candidate;
  for (const [variable, key] of hiddenValues(examined)) {
    const bounds: readonly number[] = form.ranges?.[variable] ?? [];
    const amount = amountOf(key);
    if (amount && bounds.includes(amount.rough)) continue;
    const shown = namesOf(key, examined).find((name) => shownIn(name, question));
    if (shown !== undefined) return { shown, variable, question };
  }
  return undefined;
}

function hiddenValues({ candidate: { form }, evidence }: Examined): (readonly [string, string])[] {
  const hidden = [...linksOf(form), ...(form.classes ?? []), ...Object.keys(form.ranges ?? {})];
  return hidden.flatMap((variable) => {
    const key = variable === form.asked ? undefined : evidence()?.values.get(variable);
    return key === undefined ? [] : [[variable, key] as const];
  });
}

/** A thing's names, as documents write them. */
function namesOf(key: string, { evidence }: Examined): string[] {
  const facts = evidence()!.facts;
  const names = facts.flatMap(({ subject, value, aliases = [] }) => [
    ...(termKey(subject) === key ? [subject] : []),
    ...(termKey(value) === key ? [value, ...aliases] : []),
  ]);
  return [...new Set(names)];
}
