import { describe, expect, test } from 'vitest';
import { builtinProfile, mhqaProfile } from '../../schemas/coa/profiles/builtin.ts';
import { filtersConfigSchema } from '../../schemas/config/filters.ts';
import { invalidGrammar } from '../../schemas/filters/verdictRules.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';
import { createFilterStage, filterTrajectory } from '../../stages/filter/createFilterStage.ts';
import { runRecordStage } from '../support/runStage.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../support/traceFixture.ts';

const filters = filtersConfigSchema.parse({});
const verdict = (judgement: Verdict['judgement']): Verdict => ({
  subject: 'answer',
  judge: 'exact_match',
  judgement,
  score: judgement === 'correct' ? 1 : 0,
  evidence: { gold: 'she' },
});
const judged = (trajectory: Trajectory, judgement: Verdict['judgement'] = 'correct'): Trajectory => ({
  ...trajectory,
  quality: { ...trajectory.quality, verdicts: [verdict(judgement)] },
});
const mhqa = (queries = ['a', 'b', 'c'], answer = 'she') =>
  judged(trajectoryFrom(taskOf('mhqa'), mhqaSteps(queries, answer)));
const filtered = (trajectory: Trajectory, settings = filters) =>
  filterTrajectory(trajectory, mhqaProfile, { filters: settings, seed: 7, tools: {} });
const reasons = async (trajectory: Trajectory, settings = filters) => {
  const outcome = await filtered(trajectory, settings);
  if (outcome.kind !== 'drop') return [];
  const { findings } = outcome.evidence as { findings: { reason: string }[] };
  expect(findings[0]!.reason).toBe(outcome.reason);
  return findings.map((finding) => finding.reason);
};

test('a good trajectory is kept as it is, with what was measured', async () => {
  const stage = createFilterStage({ profileOf: builtinProfile, filters, seed: 7, tools: {} });
  const measures = {
    near_redundant_tool_inputs: 0,
    grounding: { finding: 'grounded', looks: 3, empty_looks: 0 },
    unsupported_thought: { values: 0, examples: [] },
    steps: 5,
    chars: expect.any(Number),
  };
  expect(await runRecordStage(stage, mhqa())).toEqual({ kind: 'emit', records: [{ ...mhqa(), measures }] });
  await expect(runRecordStage(stage, { ...mhqa(), profile: 'other' })).rejects.toThrow(
    'unknown profile other',
  );
});

test('each rule finds its own, and nothing else', async () => {
  expect(await reasons(mhqa())).toEqual([]);
  expect(await reasons(mhqa(['a', 'b', 'c'], 'she <plan>'))).toEqual(['invalid_grammar']);
  expect(await reasons(judged(mhqa(), 'incorrect'))).toEqual(['wrong_answer']);
  expect(await reasons(mhqa(['a', 'b']))).toEqual(['too_few_interactions']);
  expect(await reasons(mhqa(['a', 'b', 'c', 'A ']))).toEqual(['redundant_tool_input']);
});

test('the first rule gives the reason, evidence has all', async () => {
  const bad = judged(mhqa(['a', 'a'], '</think>'), 'incorrect');
  expect(await reasons(bad)).toEqual([
    'invalid_grammar',
    'wrong_answer',
    'too_few_interactions',
    'redundant_tool_input',
    'ungrounded',
  ]);
});

test('evidence shows what was found', async () => {
  expect(await filtered(judged(mhqa(['a', 'a']), 'incorrect'))).toEqual({
    kind: 'drop',
    reason: 'wrong_answer',
    evidence: {
      findings: [
        { reason: 'wrong_answer', evidence: { judge: 'exact_match', score: 0, gold: 'she' } },
        { reason: 'too_few_interactions', evidence: { interactions: 2, min_interactions: 3 } },
        {
          reason: 'redundant_tool_input',
          evidence: { redundant_tool_inputs: 1, max_redundant_tool_inputs: 0 },
        },
      ],
      measures: {
        near_redundant_tool_inputs: 0,
        grounding: { finding: 'grounded', looks: 2, empty_looks: 0 },
        unsupported_thought: { values: 0, examples: [] },
        steps: 4,
        chars: expect.any(Number),
      },
    },
  });
});

describe('settings', () => {
  test('fewest interactions by profile', async () => {
    expect(await reasons(mhqa(['a']), { ...filters, min_interactions: { mhqa: 1 } })).toEqual([]);
    expect(await reasons(mhqa(), { ...filters, min_interactions: { mhqa: 4 } })).toEqual([
      'too_few_interactions',
    ]);
    expect(await reasons(mhqa(), { ...filters, min_interactions: { web: 9 } })).toEqual([]);
  });

  test('redundant inputs allowed, or not looked at', async () => {
    const twice = mhqa(['a', 'b', 'a', 'b']);
    expect(await reasons(twice, { ...filters, max_redundant_tool_inputs: 1 })).toEqual([
      'redundant_tool_input',
    ]);
    expect(await reasons(twice, { ...filters, max_redundant_tool_inputs: 2 })).toEqual([]);
    expect(await reasons(twice, { ...filters, max_redundant_tool_inputs: null })).toEqual([]);
  });
});

describe('the grammar is checked on the text that trainers read', () => {
  const withText = (at: number, text: string): Trajectory => {
    const trajectory = mhqa();
    return { ...trajectory, segments: trajectory.segments.with(at, { ...trajectory.segments[at]!, text }) };
  };
  const codes = (trajectory: Trajectory) =>
    (invalidGrammar(trajectory, mhqaProfile)?.evidence.breaches as { code: string }[] | undefined)?.map(
      ({ code }) => code,
    );

  test.each([
    ['<think>a</think>\n<plan>b</plan>\n<think>c</think>\n', 'segment_mismatch'],
    ['<think>a</think><plan>b</plan>\n', 'wrong_layout'],
    ['<think>a', 'nested_tag'],
    ['<think></think>\n', 'bad_body'],
    ['<think>a<|im_end|>b</think>\n', 'tag_in_text'],
    ['', 'missing_think'],
  ])('%j in the place of the first thought', (text, code) => {
    expect(codes(withText(0, text))).toContain(code);
  });

  test("environment text that claims to be the model's", () => {
    const trajectory = mhqa();
    const at = trajectory.segments.findIndex((segment) => segment.origin === 'environment');
    const segments = trajectory.segments.with(at, { ...trajectory.segments[at]!, origin: 'model' });
    expect(codes({ ...trajectory, segments })).toEqual(['segment_mismatch']);
  });

  test('evidence stays short', () => {
    const finding = invalidGrammar(withText(0, `<think>${'</plan>'.repeat(500)}</think>\n`), mhqaProfile);
    expect(finding?.evidence.breaches).toHaveLength(10);
    expect(finding?.evidence.count).toBeGreaterThan(500);
  });
});
