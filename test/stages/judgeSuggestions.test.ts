import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerBody } from '../../schemas/coa/answers.ts';
import { scoreBody } from '../../schemas/coa/bodies.ts';
import type { Block } from '../../schemas/coa/layout.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { builtinProfile, builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { filtersConfigSchema } from '../../schemas/config/filters.ts';
import { judgeConfigSchema } from '../../schemas/config/judge.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { filterTrajectory } from '../../stages/filter/createFilterStage.ts';
import { createJudgeStage } from '../../stages/judge/createJudgeStage.ts';
import { emittedBy } from '../support/runStage.ts';
import { trajectoryArbitrary, trajectoryOf } from '../support/trajectoryArbitrary.ts';

const config = judgeConfigSchema.parse({});
const filters = filtersConfigSchema.parse({ max_redundant_tool_inputs: null });
const checking = builtinProfile('mhqa_double_check')!;

const judged = (trajectory: Trajectory, profileOf: (name: string) => Profile | undefined = builtinProfile) =>
  emittedBy(createJudgeStage({ config, profileOf, concurrency: 1 }), trajectory);

const model = (tag: string, body: string): Block => ({ tag, origin: 'model', body });
const think = model('think', 'so');

/** A suggestion and the score it gets, each with its thought. */
const round = (suggestion: string, score: number): Block[] => [
  think,
  model('suggested_answer', suggestion),
  think,
  model('double_check', scoreBody(score)),
];
const opening = [think, model('plan', '1. answer')];
const solvedBy = (profile: Profile, blocks: readonly Block[]) => trajectoryOf(profile, blocks, 'Who?', 'she');
const suggestionsOf = ({ quality }: Trajectory) =>
  quality.verdicts.filter((verdict) => verdict.subject === 'suggested_answer');

describe('suggested answers', () => {
  test('that are wrong and were caught: the suggestion and its thought are marked, the check is not', async () => {
    const blocks = [...opening, ...round('he', 1), ...opening, ...round('She.', 4), model('answer', 'she')];
    const { quality } = await judged(solvedBy(checking, blocks));
    expect(quality.verdicts).toEqual([
      expect.objectContaining({ subject: 'answer', judgement: 'correct' }),
      {
        subject: 'suggested_answer',
        judge: 'exact_match',
        judgement: 'incorrect',
        score: 0,
        evidence: { compared: [{ prediction: 'he', closest: 'she', method: 'f1' }] },
        marked_segments: [2, 3],
      },
    ]);
    expect(quality.verdicts[0]).not.toHaveProperty('marked_segments');
  });

  test('that are wrong and passed the check: the check and its thought are marked too', async () => {
    const blocks = [...opening, ...round('he', 3), model('answer', 'she')];
    expect(suggestionsOf(await judged(solvedBy(checking, blocks)))).toMatchObject([
      { marked_segments: [2, 3, 4, 5] },
    ]);
  });

  test('each of which is wrong have a verdict each; without a thought before them they alone are marked', async () => {
    const blocks = [
      model('plan', 'p'),
      model('suggested_answer', 'he'),
      model('double_check', scoreBody(1)),
      model('suggested_answer', 'it'),
      model('answer', 'she'),
    ];
    expect(suggestionsOf(await judged(solvedBy(checking, blocks)))).toMatchObject([
      { marked_segments: [1] },
      { marked_segments: [3] },
    ]);
  });

  test('are found by the part that their tag plays, not by its name', async () => {
    const renamed: Profile = {
      ...checking,
      tags: checking.tags.map((rule) => (rule.tag === 'suggested_answer' ? { ...rule, tag: 'guess' } : rule)),
    };
    const blocks = [...opening, model('guess', 'he'), model('answer', 'she')];
    const { quality } = await judged(solvedBy(renamed, blocks), () => renamed);
    expect(quality.verdicts).toMatchObject([{}, { subject: 'suggested_answer', marked_segments: [2] }]);
  });

  test('that no rule can decide have no verdict, and the record keeps the others', async () => {
    const sums: Profile = { ...checking, domain: 'math' };
    const blocks = [
      ...opening,
      ...round('\\sum_{k=1}^3 k', 1),
      ...round('5', 1),
      model('answer', answerBody('math', '6')),
    ];
    const { quality } = await judged({ ...solvedBy(sums, blocks), answers: ['6'] }, () => sums);
    expect(quality.verdicts).toMatchObject([
      { subject: 'answer', judgement: 'correct' },
      { subject: 'suggested_answer', judgement: 'incorrect', marked_segments: [6, 7] },
    ]);
  });

  test('without gold answers have no verdict, nor do programs', async () => {
    const programs: Profile = { ...checking, domain: 'code' };
    const sandbox = {
      name: 'bubblewrap' as const,
      isolates: true,
      run: async () => ({ kind: 'exited' as const, exitCode: 0, stdout: '', stderr: '', durationMs: 1 }),
      close: async () => {},
    };
    const stage = createJudgeStage({ config, profileOf: () => programs, sandbox, concurrency: 1 });
    const blocks = [...opening, ...round('print(1)', 1), model('answer', answerBody('code', 'print(2)'))];
    const tests = { kind: 'stdin' as const, cases: [{ stdin: '', expected_output: '' }] };
    const { quality } = await emittedBy(stage, { ...solvedBy(programs, blocks), answers: [], tests });
    expect(quality.verdicts).toMatchObject([{ subject: 'answer' }]);
  });
});

const withSuggestions = Object.values(builtinProfiles).filter((profile) =>
  profile.tags.some((rule) => rule.kind === 'suggested_answer'),
);

test('marks lie on words of the model, once each, and change neither the verdict on the answer nor what is kept', async () => {
  await fc.assert(
    fc.asyncProperty(trajectoryArbitrary(withSuggestions), fc.boolean(), async (generated, isRight) => {
      const profile = builtinProfile(generated.profile)!;
      const final = /^<answer>(.*)<\/answer>$/s.exec(generated.segments.at(-1)!.text)![1]!;
      // No generated text could state this one in other words, of which there would be no verdict.
      const trajectory = { ...generated, answers: [isRight ? final : '⟡⟢⟡⟢'] };
      const found = await judged(trajectory);
      if (isRight) expect(found.quality.verdicts[0]).toMatchObject({ judgement: 'correct' });
      const suggestions = suggestionsOf(found);
      const places = suggestions.flatMap((verdict) => verdict.marked_segments!);
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      for (const at of places) {
        const { origin, tag } = trajectory.segments[at]!;
        expect(origin).toBe('model');
        expect(['thinking', 'suggested_answer', 'verification']).toContain(tagRule(profile, tag)!.kind);
      }
      const answerOnly = found.quality.verdicts.filter((verdict) => verdict.subject === 'answer');
      expect(answerOnly).toHaveLength(1);
      const bare = { ...found, quality: { ...found.quality, verdicts: answerOnly } };
      const options = { filters, seed: 7, tools: {} };
      const outcomes = await Promise.all(
        [found, bare].map((record) => filterTrajectory(record, profile, options)),
      );
      expect(outcomes[0]!.kind).toBe(outcomes[1]!.kind);
      if (outcomes[0]!.kind === 'drop') expect(outcomes[0]).toEqual(outcomes[1]);
    }),
    { numRuns: 100 },
  );
});
