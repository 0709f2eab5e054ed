import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { filtersConfigSchema } from '../../../schemas/config/filters.ts';
import type { FilterTools } from '../../../schemas/filters/filterRule.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type { Verdict } from '../../../schemas/verdict.ts';
import { filterTrajectory } from '../../../stages/filter/createFilterStage.ts';
import { openLanguageDetector } from '../../../stages/filter/detectLanguage.ts';
import { readPassRates } from '../../../stages/filter/passRates.ts';
import { jsonLines } from '../../cli/support/project.ts';
import { temporaryFile } from '../../support/temporaryFolder.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../../support/traceFixture.ts';

const verdict = (
  subject: Verdict['subject'] = 'answer',
  judgement: Verdict['judgement'] = 'correct',
): Verdict => ({
  subject,
  judge: 'fixture',
  judgement,
  score: judgement === 'correct' ? 1 : 0,
  evidence: {},
});

function good(quality: Partial<Trajectory['quality']> = {}, id = 'trajectory_0'): Trajectory {
  const made = trajectoryFrom(taskOf('mhqa'), mhqaSteps(['a', 'b', 'c'], 'she'));
  return { ...made, id, quality: { ...made.quality, verdicts: [verdict()], ...quality } };
}

async function filtered(trajectory: Trajectory, filters: object, tools: FilterTools = {}, seed = 7) {
  const settings = filtersConfigSchema.parse(filters);
  return filterTrajectory(trajectory, builtinProfile(trajectory.profile)!, {
    filters: settings,
    seed,
    tools,
  });
}
const reasonOf = async (...args: Parameters<typeof filtered>) => {
  const outcome = await filtered(...args);
  return outcome.kind === 'drop' ? outcome.reason : outcome.kind;
};

describe('reflection', () => {
  const bare = (id: string, profile = 'mhqa') => ({ ...good({ reflections: 0 }, id), profile });
  const stays = async (id: string, rate: number, seed = 7) =>
    (await reasonOf(bare(id), { reflection: { rate } }, {}, seed)) === 'emit';

  test('of those without one a share stays: by seed and id alone, and a higher rate only adds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (id, a, b) => {
          const [low, high] = [Math.min(a, b), Math.max(a, b)];
          if (await stays(id, low)) expect(await stays(id, high)).toBe(true);
          expect(await stays(id, 1)).toBe(true);
          expect(await stays(id, 0)).toBe(false);
        },
      ),
    );
    const ids = Array.from({ length: 2_000 }, (_, n) => `trajectory_${n}`);
    const kept = await Promise.all(ids.map((id) => stays(id, 0.3)));
    expect(kept.filter(Boolean).length / ids.length).toBeCloseTo(0.3, 1);
    const other = await Promise.all(ids.map((id) => stays(id, 0.3, 8)));
    expect(other).not.toEqual(kept);
  });

  test('those with one stay at any rate; some profiles keep none without', async () => {
    expect(await reasonOf(good({ reflections: 1 }), { reflection: { rate: 0 } })).toBe('emit');
    expect(await reasonOf(bare('x'), { reflection: { drop_for: ['mhqa'] } })).toBe('no_reflection');
    expect(await reasonOf(bare('x'), { reflection: { drop_for: ['math'] } })).toBe('emit');
    expect(await reasonOf(bare('x'), {})).toBe('emit');
  });
});

test('a low first double check that ends right is repeated, and nothing else is', async () => {
  const filters = { error_correction: { repeats: 4 } };
  const samplingOf = async (quality: Partial<Trajectory['quality']>) => {
    const outcome = await filtered(good(quality), filters);
    return outcome.kind === 'emit' ? outcome.records[0]!.sampling : outcome.kind;
  };
  const repeated = { repeats: 4, weight: 1, reasons: ['error_correction'] };
  expect(await samplingOf({ first_double_check: 1 })).toEqual(repeated);
  expect(await samplingOf({ first_double_check: 2 })).toEqual(repeated);
  expect(await samplingOf({ first_double_check: 3 })).toBeUndefined();
  expect(await samplingOf({ first_double_check: null })).toBeUndefined();
  expect(await samplingOf({ first_double_check: 1, verdicts: [] })).toBeUndefined();
  expect(await samplingOf({ first_double_check: 1, verdicts: [verdict('answer', 'incorrect')] })).toBe(
    'drop',
  );
});

test('instructions that were not followed drop a right answer too', async () => {
  const bad = good({ verdicts: [verdict(), verdict('instructions', 'incorrect')] });
  expect(await reasonOf(bad, {})).toBe('instruction_failure');
  expect(await reasonOf(bad, { instruction_failures: 'keep' })).toBe('emit');
});

test('bounds of steps and tokens hold both ends', async () => {
  const tools: FilterTools = { countTokens: async () => 10 };
  const of = (length: object) => reasonOf(good(), { length }, tools);
  expect(await of({ min_steps: 5, max_steps: 5 })).toBe('emit');
  expect(await of({ max_steps: 4 })).toBe('length_out_of_range');
  expect(await of({ min_steps: 6 })).toBe('length_out_of_range');
  expect(await of({ min_tokens: 10, max_tokens: 10 })).toBe('emit');
  expect(await of({ max_tokens: 9 })).toBe('length_out_of_range');
  expect(await of({ min_tokens: 11 })).toBe('length_out_of_range');
});

test('findings of rules on texts are counted by rule, and drop', async () => {
  const check = async () => [{ rule: 'duplicate_block' }, { rule: 'duplicate_block' }];
  const outcome = await filtered(good(), { check: ['warning'] }, { check });
  expect(outcome).toMatchObject({
    reason: 'check_finding',
    evidence: { measures: { check: { duplicate_block: 2 } } },
  });
});

test('a language that was not asked for drops; one that can not be told stays', async () => {
  const of = (language: string | null) =>
    reasonOf(good(), { languages: ['en', 'zh'] }, { detectLanguage: async () => language });
  expect(await of('de')).toBe('unwanted_language');
  expect(await of('zh')).toBe('emit');
  expect(await of(null)).toBe('emit');
});

test('the detector tells languages of sentences, and nothing of numbers', async () => {
  const { detect, languages } = await openLanguageDetector();
  expect(languages).toContain('en');
  expect(await detect('The question is about the longest river of the island, and where it ends.')).toBe(
    'en',
  );
  expect(await detect('Die Frage handelt vom längsten Fluss der Insel und davon, wo er endet.')).toBe('de');
  expect(await detect('这个问题是关于岛上最长的河流以及它在哪里结束。')).toBe('zh');
  expect(await detect('12 + 34 = 46')).toBeNull();
  expect(await detect('')).toBeNull();
  expect(await detect('a'.repeat(1_000_000))).not.toBe('en');
});

describe('difficulty', () => {
  const fileOf = (...lines: object[]) => temporaryFile('rates.jsonl', jsonLines(lines));
  const key = 'filters.pass_rate.from';
  const rateOf = async (file: string, trajectory = good()) =>
    (await readPassRates(file, key)).rateOf(trajectory);

  test('is found by task id, else by question, and lines of one task add up', async () => {
    const { task_id, question } = good();
    expect(await rateOf(fileOf({ task_id, passed: 1, samples: 4 }, { task_id, passed: 3, samples: 4 }))).toBe(
      0.5,
    );
    expect(await rateOf(fileOf({ question: ` ${question.toUpperCase()} `, passed: 2, samples: 8 }))).toBe(
      0.25,
    );
    expect(await rateOf(fileOf({ task_id: 'other', passed: 2, samples: 8 }))).toBeUndefined();
  });

  test('a task that is solved more often than asked for drops', async () => {
    const of = (rate: number | undefined) =>
      reasonOf(good(), { pass_rate: { from: 'rates.jsonl', max: 0.3 } }, { passRateOf: async () => rate });
    expect(await of(0.3)).toBe('emit');
    expect(await of(0.31)).toBe('too_easy');
    expect(await of(1)).toBe('too_easy');
    expect(await of(undefined)).toBe('emit');
  });

  test.each([
    ['{"task_id": "a", "passed": 1}', /rates\.jsonl, line 2: samples: /],
    ['{"task_id": "a", "passed": 5, "samples": 4}', /line 2: passed is more than samples/],
    ['{"passed": 1, "samples": 4}', /line 2: expected task_id or question/],
    ['nonsense', /line 2: not JSON/],
  ])('%s is named by file and line', async (line, words) => {
    const file = temporaryFile('rates.jsonl', `{"task_id": "a", "passed": 1, "samples": 4}\n${line}\n`);
    const reading = readPassRates(file, key);
    await expect(reading).rejects.toThrow(words);
    await expect(reading).rejects.toThrow(UserError);
  });
});
