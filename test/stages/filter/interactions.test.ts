import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtinProfiles } from '../../../schemas/coa/profiles/builtin.ts';
import { filterPresets, withFilterPreset } from '../../../schemas/config/filterPresets.ts';
import { type FiltersConfig, filtersConfigSchema } from '../../../schemas/config/filters.ts';
import { measureQuality } from '../../../stages/convert/measureQuality.ts';
import { filterTrajectory } from '../../../stages/filter/createFilterStage.ts';
import { importDatasetRow, readOneAnswer } from '../../../teachers/importers/importDatasetRow.ts';

const step = (at: number) =>
  `<think>Try ${at}.</think>\n<code>\n\`\`\`py\nprint(${at})\n\`\`\`\n</code>\n<observation>\n${at}\n</observation>\n\n<reflection>It prints ${at}.</reflection>\n`;

/** A solution of mathematics as AFM's are: a plan, then programs with a reflection each. */
function solution(calls: number) {
  const steps = Array.from({ length: calls }, (_, at) => step(at)).join('');
  const output = `<plan>Compute.</plan>\n${steps}<think>Done.</think>\n<answer>\\boxed{5}</answer>`;
  const profiles = [builtinProfiles.math!];
  const context = { profiles, systemPrompt: '', measureQuality };
  const row = readOneAnswer({ instruction: 'Solve.', input: 'Question: ?', output });
  return importDatasetRow(row, context).trajectory;
}

const filters = (value: object) =>
  filtersConfigSchema.parse((withFilterPreset({ filters: value }) as { filters: object }).filters);

async function found(calls: number, settings: FiltersConfig) {
  const outcome = await filterTrajectory(solution(calls), builtinProfiles.math!, {
    filters: settings,
    seed: 1,
    tools: {},
  });
  if (outcome.kind !== 'drop') return undefined;
  const { findings } = outcome.evidence as { findings: { reason: string; evidence: object }[] };
  return findings.find(({ reason }) => reason === 'too_few_interactions')?.evidence;
}

test('a solution with two programs has too few calls of tools, and enough actions of agents', async () => {
  const byTools = filters({ min_interactions: { math: 5 } });
  const byAgents = filters({ min_interactions: { count: 'agents', math: 5 } });
  expect(await found(2, byTools)).toEqual({ interactions: 2, min_interactions: 5 });
  expect(await found(2, byAgents)).toBeUndefined();
  expect(await found(1, byAgents)).toEqual({ count: 'agents', interactions: 4, min_interactions: 5 });
  expect(await found(2, filters({ min_interactions: { count: 'tools', math: 5 } }))).toBeDefined();
});

test("default is for profiles that are not named, and a profile's own number for none", async () => {
  expect(await found(2, filters({ min_interactions: { default: 3 } }))).toMatchObject({
    min_interactions: 3,
  });
  expect(await found(2, filters({ min_interactions: { default: 3, math: 2 } }))).toBeUndefined();
  expect(await found(2, filters({ min_interactions: { count: 'tools' } }))).toMatchObject({
    min_interactions: builtinProfiles.math!.min_interactions,
  });
});

test.each([
  [{ count: 5 }, 'expected tools or agents, got 5'],
  [{ count: 'agent' }, /expected/i],
  [{ math: 'agents' }, 'expected a whole number, got agents'],
])('%j is refused', (min_interactions, message) => {
  expect(() => filtersConfigSchema.parse({ min_interactions })).toThrow(message);
});

test('the preset turns on what the paper filters by', async () => {
  const settings = filters({ preset: 'afm' });
  expect(settings).toMatchObject(filterPresets.afm);
  expect(settings).not.toHaveProperty('preset');
  expect(await found(2, settings)).toBeUndefined();
  expect(await found(1, settings)).toMatchObject({ count: 'agents', min_interactions: 5 });
});

test('keys that are written win over the preset, one by one, wherever they stand', () => {
  expect(
    filters({ preset: 'afm', min_interactions: { web: 7 }, reflection: { rate: 1 }, check: ['error'] }),
  ).toMatchObject({
    min_interactions: { ...(filterPresets.afm.min_interactions as object), web: 7 },
    reflection: { rate: 1, drop_for: ['math', 'code'] },
    error_correction: { repeats: 2, max_first_score: 2 },
    check: ['error'],
  });
  expect(filters({ preset: 'afm', min_interactions: 2 }).min_interactions).toBe(2);
});

test('a preset is its values: filling it in twice changes nothing, and without one nothing changes', () => {
  const key = fc.constantFrom(...Object.keys(filterPresets.afm), 'check', 'languages');
  const written = fc.dictionary(key, fc.constantFrom(0, 1, {}, { rate: 0.1 }, { web: 3 }));
  fc.assert(
    fc.property(written, (own) => {
      expect(withFilterPreset({ filters: own })).toEqual({ filters: own });
      const filled = withFilterPreset({ filters: { ...own, preset: 'afm' } }) as { filters: object };
      expect(withFilterPreset({ filters: { ...filled.filters, preset: 'afm' } })).toEqual(filled);
      expect(filled.filters).toMatchObject(own);
    }),
  );
});
