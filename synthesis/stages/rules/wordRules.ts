import type { JsonObject } from '../../../base/json.ts';
import { constantsOf, linksOf } from '../../../schemas/taskSynthesis.ts';
import { amountOf, termKey } from '../form/factIndex.ts';
import type { CandidateRule, Examined } from './examined.ts';
import { shownIn } from './shownIn.ts';

/** Words that refer to a text which the solver does not have. */
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

/** Kinds of things that writers add to names; entries in one group are synonyms. */
const kinds = [
  ...['film movie', 'book novel', 'album record', 'song single', 'band group', 'show series', 'team club'],
  ...['company firm', 'city town', 'magazine newspaper'],
].map((words) => words.split(' '));

export const wordRules: readonly CandidateRule[] = [
  { name: 'standalone', reason: 'not_standalone', find: dependentWords },
  { name: 'answer_hidden', reason: 'answer_in_question', find: answerShown },
  { name: 'links_hidden', reason: 'link_in_question', find: linkShown },
  { name: 'kinds', reason: 'answer_drift', find: addedKind },
];

/**
 * Rules for writing a question. Adds `names_said`, which the check does not apply, since a varied name may still be
 * read back.
 */
export const writingRules: readonly CandidateRule[] = [
  ...wordRules,
  { name: 'names_said', reason: 'answer_drift', find: nameMissing },
];

function dependentWords(examined: Examined): JsonObject | undefined {
  const { question = '' } = examined.candidate;
  const bare = withoutNames(examined);
  const words = dependent.exec(bare)?.[0];
  return words === undefined && bare.trim() !== '' ? undefined : { words: words ?? '', question };
}

/**
 * Question without its required names: `Three Anchors Yard` is no number, `The Passage` no text. Bracketed parts stay:
 * `(1973 film)` gives a year.
 */
function withoutNames({ candidate: { question = '', form } }: Examined): string {
  return constantsOf(form).reduce(
    (text, name) => text.replaceAll(name.replace(/ \([^()]*\)$/, ''), '…'),
    question,
  );
}

function answerShown(examined: Examined): JsonObject | undefined {
  const { question = '', answers } = examined.candidate;
  const text = (name: string) => (amountOf(termKey(name)) ? withoutNames(examined) : question);
  const shown = answers.find((name) => shownIn(name, text(name)));
  return shown === undefined ? undefined : { shown, question };
}

/** Finds the name of a link, or the exact value behind a blurred one. */
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

/** Finds a kind added to a name that no document of the chain uses: the `album` of a film. */
function addedKind(examined: Examined): JsonObject | undefined {
  const { candidate, documents } = examined;
  const stated = candidate.chain
    .map(({ document }) => documents.get(document))
    .flatMap((one) => (one ? [one.title, one.text] : []));
  const beside = withoutNames(examined).matchAll(/(\p{L}+)[\s'"“‘]*(?=…)|(?<=…)[\s'"”’]*(\p{L}+)/gu);
  for (const [, before, after] of beside) {
    const same = kinds.find((words) => words.includes(before ?? after!));
    if (same && !same.some((word) => stated.some((text) => shownIn(word, text))))
      return { kind: before ?? after! };
  }
  return undefined;
}

function nameMissing({ candidate: { question = '', form } }: Examined): JsonObject | undefined {
  const missing = constantsOf(form).find((name) => !shownIn(name, question));
  return missing === undefined ? undefined : { missing, question };
}

function hiddenValues({ candidate: { form }, evidence }: Examined): (readonly [string, string])[] {
  const hidden = [...linksOf(form), ...(form.classes ?? []), ...Object.keys(form.ranges ?? {})];
  return hidden.flatMap((variable) => {
    const key = variable === form.asked ? undefined : evidence()?.values.get(variable);
    return key === undefined ? [] : [[variable, key] as const];
  });
}

function namesOf(key: string, { evidence }: Examined): string[] {
  const facts = evidence()!.facts;
  const names = facts.flatMap(({ subject, value }) => [
    ...(termKey(subject) === key ? [subject] : []),
    ...(termKey(value) === key ? [value] : []),
  ]);
  return [...new Set(names)];
}
