import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Form, formSchema, isVariable, type Triple } from '../../../schemas/taskSynthesis.ts';
import { readQuestion, writeQuestion } from '../../../synthesis/player/phrases.ts';

const names = fc.constantFrom(
  'Lindrey',
  'The Bellfounder',
  'Week of Small Boats',
  'Mount Voss',
  'Ada (the elder)',
  'ketch',
);
const relations = fc.constantFrom('capital', 'founder', 'birthplace', 'launch year', 'highest point');

/** Trees of triples: each new variable or name hangs on a variable that is there. */
const forms = fc
  .array(
    fc.record({
      at: fc.nat(),
      relation: relations,
      out: fc.boolean(),
      name: fc.option(names),
      range: fc.boolean(),
    }),
    {
      minLength: 1,
      maxLength: 6,
    },
  )
  .chain((steps) => fc.record({ steps: fc.constant(steps), count: fc.boolean(), compared: fc.boolean() }))
  .map(({ steps, count, compared }): Form => {
    const variables = ['?a'];
    const triples: Triple[] = [];
    const ranges: Record<string, [number, number]> = {};
    for (const [place, { at, relation, out, name, range }] of steps.entries()) {
      const known = variables[at % variables.length]!;
      const isLast = place === steps.length - 1;
      const term = name ?? (isLast ? 'Lindrey' : `?x${place}`);
      const isRange = range && out && !isVariable(term);
      const end = isRange ? `?r${place}` : term;
      if (isRange) ranges[end] = [1800, 1900];
      else if (isVariable(end)) variables.push(end);
      triples.push(out ? [known, relation, end] : [end, relation, known]);
    }
    // Each thing that nothing more is said of would be no more than "the thing".
    for (const variable of variables) {
      if (triples.filter((triple) => triple.includes(variable)).length < 2 || variable === '?a') {
        triples.push([variable, 'type', 'ketch']);
      }
    }
    const picked = compared && variables.length > 1 ? variables[1] : undefined;
    if (picked) triples.push([picked, 'length', '?by']);
    return {
      ...{ triples, asked: '?a', ask: count ? 'count' : 'value' },
      ...(Object.keys(ranges).length > 0 && { ranges }),
      ...(picked && {
        compare: { variable: picked, of: ['Far Horizon', 'Gull'], by: '?by', picks: 'largest' },
      }),
    };
  });

/** The form with its variables named in the order of its words, and its triples sorted. */
function normal(form: Form): unknown {
  return writeQuestion({ ...form });
}

test('what is written is read back, and written the same again', () => {
  fc.assert(
    fc.property(forms, (form) => {
      const question = writeQuestion(form);
      const read = readQuestion(question);
      expect(read && formSchema.safeParse(read).success).toBe(true);
      expect(normal(read!)).toBe(question);
      expect(read!.triples.length).toBe(form.triples.length);
      const said = (one: Form) =>
        one.triples
          .map(([s, r, o]) => [isVariable(s) ? '?' : s, r, isVariable(o) ? '?' : o].join('|'))
          .sort();
      expect(said(read!)).toEqual(said(form));
    }),
  );
});

test.each([
  ['What is the capital of Lindrey?', [['Lindrey', 'capital', '?v0']]],
  [
    'What is the founder of the island whose navigator is Edda Vanterpool and whose capital is Anchorby?',
    [
      ['?v1', 'navigator', 'Edda Vanterpool'],
      ['?v1', 'capital', 'Anchorby'],
      ['?v1', 'founder', '?v0'],
    ],
  ],
])('reads %s', (question, triples) => {
  expect(readQuestion(question)?.triples).toEqual(triples);
});
