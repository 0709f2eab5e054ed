import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PlantedFlaw, type PlantedRecord, plantedFlawSchema } from './plantedFlaws.ts';
import { plantedAgainstFound } from './plantedRows.ts';

const planted = (question: string, flaw: PlantedFlaw | null, profile = 'math'): PlantedRecord => ({
  question,
  profile,
  flaw,
});
const ended = (question: string, end: string, profile = 'math') => ({ question, profile, end });
const kept = (question: string, profile?: string) => ended(question, 'kept', profile);
const dropped = (question: string, cause: string, profile?: string) =>
  ended(question, `dropped: ${cause}`, profile);

/** What a perfect run makes of each flaw that it does not keep. */
const rightEnd: Readonly<Partial<Record<PlantedFlaw, string>>> = {
  wrong_answer: 'dropped: wrong_answer',
  redundant_query: 'dropped: redundant_tool_input',
  near_redundant_query: 'dropped: redundant_tool_input',
  too_few_interactions: 'dropped: too_few_interactions',
  malformed_json: 'failed: malformed_answer',
  refusal: 'failed: model_refused',
  tag_in_text: 'dropped: invalid_grammar',
  duplicate_question: 'dropped: duplicate_question',
};

test('a run that ends as planted has every flaw as expected and no false find', () => {
  const flaws = [null, ...plantedFlawSchema.options];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...flaws)), (drawn) => {
      const records = drawn.map((flaw, at) => planted(`q${at}`, flaw));
      const fates = drawn.map((flaw, at) => ended(`q${at}`, rightEnd[flaw ?? 'rambling'] ?? 'kept'));
      const rows = plantedAgainstFound(records, fates.reverse());
      for (const row of rows) {
        expect(row).toMatchObject({ as_expected: row.planted, false_finds: 0 });
        expect(row.planted).toBe(drawn.filter((flaw) => (flaw ?? 'clean') === row.flaw).length);
      }
      expect(rows.reduce((sum, row) => sum + row.planted, 0)).toBe(drawn.length);
    }),
  );
});

test('a missed flaw and a clean task dropped are both shown', () => {
  const rows = plantedAgainstFound(
    [planted('q1', 'wrong_answer'), planted('q2', null), planted('q3', 'wrong_answer')],
    [kept('q1'), dropped('q2', 'wrong_answer'), dropped('q3', 'wrong_answer')],
  );
  expect(rows).toEqual([
    { flaw: 'clean', profile: 'math', expected: 'kept', planted: 1, as_expected: 0, false_finds: 1 },
    {
      flaw: 'wrong_answer',
      profile: 'math',
      expected: 'dropped: wrong_answer',
      planted: 2,
      as_expected: 1,
      false_finds: 1,
    },
  ]);
});

test('a false find of a flaw that was never planted has a row of its own', () => {
  expect(plantedAgainstFound([planted('q', null)], [dropped('q', 'redundant_tool_input')])).toMatchObject([
    { flaw: 'clean', planted: 1, as_expected: 0 },
    { flaw: 'redundant_query', planted: 0, as_expected: 0, false_finds: 1 },
  ]);
});

test('of equal questions the planted duplicate is the dropped one, whatever the order', () => {
  const records = [planted('q', 'duplicate_question'), planted('q', 'wrong_answer')];
  const fates = [dropped('q', 'wrong_answer'), dropped('q', 'duplicate_question')];
  expect(plantedAgainstFound(records, fates)).toMatchObject([
    { flaw: 'wrong_answer', planted: 1, as_expected: 1, false_finds: 0 },
    { flaw: 'duplicate_question', planted: 1, as_expected: 1, false_finds: 0 },
  ]);
});

test('a kept duplicate is not as expected', () => {
  const rows = plantedAgainstFound(
    [planted('q', null), planted('q', 'duplicate_question')],
    [kept('q'), kept('q')],
  );
  expect(rows).toMatchObject([
    { flaw: 'clean', planted: 1, as_expected: 1, false_finds: 1 },
    { flaw: 'duplicate_question', planted: 1, as_expected: 0 },
  ]);
});

test('one question in two profiles is two tasks', () => {
  const rows = plantedAgainstFound(
    [planted('q', 'wrong_answer', 'web'), planted('q', null, 'mhqa')],
    [kept('q', 'mhqa'), dropped('q', 'wrong_answer', 'web')],
  );
  expect(rows).toMatchObject([
    { flaw: 'clean', profile: 'mhqa', as_expected: 1, false_finds: 0 },
    { flaw: 'wrong_answer', profile: 'web', as_expected: 1, false_finds: 0 },
  ]);
});

test('a task that vanished is not as expected', () => {
  expect(plantedAgainstFound([planted('q', null)], [])).toMatchObject([
    { flaw: 'clean', planted: 1, as_expected: 0 },
  ]);
});
