import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeText } from '../../../schemas/answers/judgeText.ts';
import { builtinProfile, mhqaProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { withFilterPreset } from '../../../schemas/config/filterPresets.ts';
import { type FiltersConfig, filtersConfigSchema } from '../../../schemas/config/filters.ts';
import type { FilterMeasures } from '../../../schemas/filterMeasures.ts';
import { groundingOf } from '../../../schemas/filters/grounding.ts';
import { unsupportedThoughtOf } from '../../../schemas/filters/unsupportedThought.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { filterTrajectory } from '../../../stages/filter/createFilterStage.ts';
import { cases } from '../../support/cases.ts';
import { mulberry32 } from '../../support/mulberry32.ts';
import { groundedRows, trajectoryOf } from './support/groundedRows.ts';

const findingOf = (trajectory: Trajectory, profile = 'mhqa') => {
  const { finding, exempt_as } = groundingOf(trajectory, builtinProfile(profile)!) ?? {};
  return exempt_as ?? finding;
};
const filtered = (trajectory: Trajectory, filters: Partial<FiltersConfig> | object = {}) =>
  filterTrajectory(trajectory, mhqaProfile, {
    filters: filtersConfigSchema.parse({ min_interactions: 0, max_redundant_tool_inputs: null, ...filters }),
    seed: 7,
    tools: {},
  });

test('of 200 rows all lucky answers are dropped, and no other', async () => {
  const rows = groundedRows(200, mulberry32(52));
  expect(rows.filter(({ isLucky }) => isLucky).length).toBeGreaterThan(80);
  const wrong: object[] = [];
  for (const { trajectory, isLucky, told } of rows) {
    const outcome = await filtered(trajectory);
    const reason = outcome.kind === 'drop' ? outcome.reason : 'kept';
    if (reason !== (isLucky ? 'ungrounded' : 'kept')) wrong.push({ reason, ...told });
  }
  expect(wrong).toEqual([]);
});

describe('properties', () => {
  const word = fc.stringMatching(/^[a-z]{2,7}$/);
  const value = fc.oneof(
    fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
    fc.nat(1e6).map(String),
    fc
      .tuple(fc.integer({ min: 2, max: 900 }), fc.constantFrom('km', 'kg', 'm'))
      .map((pair) => pair.join(' ')),
    fc
      .tuple(
        fc.integer({ min: 1, max: 28 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1000, max: 2100 }),
      )
      .map(([day, month, year]) => `${year}-${`${month}`.padStart(2, '0')}-${`${day}`.padStart(2, '0')}`),
  );
  const spelling = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => `the ${text}`,
    (text: string) => `“${text}”`,
    (text: string) => text.replace(/^(\d+)(\d{3})$/, '$1,$2'),
    (text: string) => text.replace(/^(\d+) km$/, '$1000 m'),
    (text: string) => text.replace(/^(\d{4})-(\d\d)-(\d\d)$/, '$1/$2/$3'),
    (text: string) => text.replace(/^([a-z]+) /, '$1  '),
  );

  test('an answer in a spelling that the judge takes is grounded, wherever it stands in an observation', () => {
    fc.assert(
      fc.property(value, spelling, word, word, (answer, spell, before, after) => {
        const spelled = spell(answer);
        fc.pre(judgeText(spelled, [answer], { minF1: 1, numberTolerance: 1e-9 }).correct);
        const looks = [{ shows: 'nothing to see' }, { shows: `${before}: ${spelled}. ${after}` }];
        expect(findingOf(trajectoryOf({ answers: [answer], answer, looks }))).toBe('grounded');
      }),
      { numRuns: cases(1_000) },
    );
  });

  test('no text of the model grounds an answer', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{4,9} [a-z]{4,9}$/), (answer) => {
        const looks = [{ input: { query: answer }, shows: `No passages found for query: '${answer}'.` }];
        const told = { answers: [answer], answer, looks, think: `it is ${answer}` };
        expect(findingOf(trajectoryOf(told))).toBe('ungrounded');
        const echoed = [{ input: { query: answer }, shows: `Results for "${answer}":\n1. Zzz` }];
        expect(findingOf(trajectoryOf({ ...told, looks: echoed }))).toBe('ungrounded');
      }),
      { numRuns: cases(200) },
    );
  });
});

describe('kinds of answers that no document need state', () => {
  const of = (question: string, answer: string) =>
    findingOf(trajectoryOf({ question, answer, answers: [answer], looks: [{ shows: 'found' }] }));

  test.each([
    ['Is the bridge older than the tower?', 'Yes', 'yes_no'],
    ['Which is it? A) bridge B) tower', 'B', 'option'],
    ['How many years lie between the two?', '14', 'computed'],
    ['What is the total length of both?', '330 m', 'computed'],
    ['Who built it?', 'B', 'ungrounded'],
    ['How many ships did Rita Kern name?', 'Rita Kern', 'ungrounded'],
    ['When was it built?', '1956', 'ungrounded'],
  ])('%s %s: %s', (question, answer, finding) => expect(of(question, answer)).toBe(finding));

  test('what a program prints is computed where it is not in the program', () => {
    const run = (code: string, answer: string) =>
      findingOf(
        trajectoryOf(
          { answers: [answer], answer, looks: [{ tool: 'code', input: { code }, shows: answer }] },
          'afm',
        ),
        'afm',
      );
    expect(run('print(7 * 271)', '1897')).toBe('computed');
    expect(run('print(1897)', '1897')).toBe('ungrounded');
  });

  test('profiles without tools that bring evidence have no finding', () => {
    const told = { answers: ['5'], answer: '5', looks: [] };
    expect(findingOf(trajectoryOf(told, 'math'), 'math')).toBeUndefined();
  });
});

test('every part of an answer must be seen; a right one by any of its names, a wrong one by its own', () => {
  const of = (answer: string, answers: readonly string[], ...shows: string[]) =>
    findingOf(trajectoryOf({ answer, answers, looks: shows.map((text) => ({ shows: text })) }));
  expect(of('Rita Kern | Otto Lund', ['Rita Kern | Otto Lund'], 'Rita Kern', 'Otto Lund')).toBe('grounded');
  expect(of('Rita Kern | Otto Lund', ['Rita Kern | Otto Lund'], 'Rita Kern')).toBe('ungrounded');
  expect(of('New York City', ['New York City', 'NYC'], 'in NYC')).toBe('grounded');
  expect(of('Boston', ['New York City', 'NYC'], 'in NYC')).toBe('ungrounded');
});

test('empty looks are counted', () => {
  const shows = ["No passages found for query: 'it'.", '[]', 'No. 5 is a scent', 'No relevant information'];
  const told = { answers: ['it'], answer: 'it', looks: shows.map((text) => ({ shows: text })) };
  expect(groundingOf(trajectoryOf(told), mhqaProfile)).toMatchObject({ looks: 4, empty_looks: 3 });
});

test('the preset of AFM keeps what is not grounded, and a written key wins', () => {
  const drop = (filters: object) =>
    filtersConfigSchema.parse((withFilterPreset({ filters }) as { filters: object }).filters).grounding?.drop;
  expect([{}, { preset: 'afm' }, { preset: 'afm', grounding: { drop: true } }].map(drop)).toEqual([
    undefined,
    false,
    true,
  ]);
});

describe('thoughts', () => {
  const of = (think: string, question = 'Who built the Kestrel Bridge?') => {
    const looks = [{ shows: 'The Kestrel Bridge was built in 1928 by Rita Kern.' }];
    const trajectory = trajectoryOf({ question, answers: ['Rita Kern'], answer: 'Rita Kern', looks, think });
    return unsupportedThoughtOf(trajectory, mhqaProfile);
  };

  test('numbers and names that nothing before them holds are found, in order', () => {
    expect(of('It was built in 1928 by Rita Kern, in 3 steps.')).toEqual({
      values: 2,
      examples: ['1928', 'Rita Kern'],
    });
    expect(of('I have to find who built the Kestrel Bridge. Then I answer.')).toMatchObject({ values: 0 });
  });

  test('they are kept unless it is asked for', async () => {
    const looks = [{ shows: 'Rita Kern' }];
    const think = 'It was built in 1928.';
    const trajectory = trajectoryOf({ answers: ['Rita Kern'], answer: 'Rita Kern', looks, think });
    const kept = await filtered(trajectory);
    expect(kept.kind === 'emit' && (kept.records[0]!.measures as FilterMeasures).unsupported_thought).toEqual(
      {
        values: 1,
        examples: ['1928'],
      },
    );
    expect(await filtered(trajectory, { unsupported_thought: { drop: true } })).toMatchObject({
      reason: 'unsupported_thought',
    });
  });
});
