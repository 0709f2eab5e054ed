import { z } from 'zod';
import {
  type Form,
  formSchema,
  isVariable,
  looseFormSchema,
  type Triple,
  variableSchema,
} from '../../schemas/taskSynthesis.ts';

/** An enum, so that endpoints enforce it. */
const variable = variableSchema.meta({ enum: ['?x', '?y', '?z', '?u', '?v', '?w', '?r', '?s', '?t'] });
const { triples, ask, compare } = looseFormSchema.shape;

/**
 * Form as a model writes it, with all members required by OpenAI's strict mode. The comparison comes first, so that it
 * is not read as two questions. Blurred variables are not part of the wording.
 */
const writtenSchema = z.strictObject({
  compare: compare.unwrap().extend({ variable, by: variable }).nullable(),
  triples,
  asked: variable,
  ask: ask.unwrap(),
  ranges: z.array(z.strictObject({ variable, lowest: z.number(), highest: z.number() })),
});
type WrittenForm = z.infer<typeof writtenSchema>;

export const writtenFormSchema: z.ZodType<Form> = writtenSchema
  .transform(
    ({ compare, ranges, ...form }): z.input<typeof formSchema> => ({
      ...form,
      ...(compare && { compare }),
      ...(ranges.length > 0 && {
        ranges: Object.fromEntries(
          ranges.map(({ variable, lowest, highest }) => [variable, [lowest, highest]]),
        ),
      }),
    }),
  )
  .pipe(formSchema);

/** Converts a form to the input of {@link writtenFormSchema}. */
export function writtenForm({ compare, triples, ranges = {}, asked, ask }: Form): WrittenForm {
  return {
    compare: compare ?? null,
    ...{ triples, asked, ask },
    ranges: Object.entries(ranges).map(([variable, [lowest, highest]]) => ({ variable, lowest, highest })),
  };
}

export type ClassWord = (relations: readonly string[]) => string;

/**
 * Literal wording of a form: `What is the capital of the thing whose navigator is Edda Vanterpool?` Clear rather than
 * elegant; it names only what the form names.
 */
export function literalQuestion(form: Form, classWord: ClassWord = () => 'thing'): string {
  const what = thing({ ...form, classWord }, form.asked, undefined);
  if (form.ask !== 'count') return `What is ${what}?`;
  const counted = bareHead.exec(what);
  return counted
    ? `How many ${pluralOf(counted[1]!)} are there${what.slice(counted[0].length)}?`
    : `How many different answers are there to: ${what}?`;
}

/** Matches a thing described only by clauses: `the ship whose length is 40`. */
export const bareHead = /^the ([a-z]+)(?= whose | that is also )/;

/** Describes a thing of the form, seen from the triple that leads to it. */
function thing(
  form: Form & { readonly classWord: ClassWord },
  term: string,
  from: Triple | undefined,
): string {
  if (!isVariable(term)) return term;
  const around = form.triples.filter((triple) => triple !== from && triple.includes(term));
  const { compare } = form;
  const by = compare?.variable === term ? around.find(([, , value]) => value === compare.by) : undefined;
  const inbound = around.filter(([, , value]) => value === term);
  const outbound = around.filter((triple) => triple[0] === term && triple !== by);
  const first = by ? undefined : inbound[0];
  const more = by ? inbound : inbound.slice(1);
  const tails = [
    ...more.map((triple) => ({ words: `that is also the ${triple[1]} of`, triple, end: triple[0] })),
    ...outbound.map((triple) => ({ words: `whose ${triple[1]} is`, triple, end: triple[2] })),
  ];
  const isLast = (at: number) => at === tails.length - 1;
  const said = (end: string, triple: Triple, last: boolean) => {
    const range = form.ranges?.[end];
    if (range) return `between ${range[0]} and ${range[1]}`;
    const words = thing(form, end, triple);
    // Brackets keep later text from attaching to the last named thing.
    return last || !isDescription(words) ? words : `(${words})`;
  };
  const head =
    by && compare
      ? `either ${compare.of[0]} or ${compare.of[1]}, whichever has the ${comparative(by[1], compare.picks)} ${by[1]}`
      : first
        ? `the ${first[1]} of ${said(first[0], first, tails.length === 0)}`
        : `the ${form.classWord(outbound.map(([, relation]) => relation))}`;
  const clauses = tails.map(({ words, triple, end }, at) => `${words} ${said(end, triple, isLast(at))}`);
  return [head, clauses.join(' and ')].filter((part) => part !== '').join(' ');
}

const isDescription = (words: string) => /^(?:the [^A-Z]|either )/.test(words);

const plurals: Readonly<Record<string, string>> = { person: 'people', company: 'companies' };

function pluralOf(word: string): string {
  return plurals[word] ?? `${word}s`;
}

function comparative(relation: string, picks: 'largest' | 'smallest'): string {
  const isTime = /\b(?:year|date|first)\b/.test(relation);
  if (isTime) return picks === 'largest' ? 'later' : 'earlier';
  return picks === 'largest' ? 'larger' : 'smaller';
}
