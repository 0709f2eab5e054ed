import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keptVerdict, machineLosses } from '../../cli/keptVerdict.ts';
import { dropReasonSchema } from '../../schemas/dropReasons.ts';
import { failureCauseSchema } from '../../schemas/failureCauses.ts';
import type { FunnelRow } from '../../schemas/report.ts';

const row = (
  stage: string,
  emitted: number,
  dropped: Record<string, number>,
  failed: Record<string, number>,
): FunnelRow => {
  const lost = [...Object.values(dropped), ...Object.values(failed)].reduce((sum, count) => sum + count, 0);
  return { stage, entered: emitted + lost, emitted, dropped, failed };
};

describe('what is said of a run as a whole', () => {
  test('a run that kept nothing names the commonest cause, its stage and what to do', () => {
    const funnel = [
      row('tasks', 10, {}, {}),
      row('rollout', 2, {}, { answer_truncated: 7, endpoint_timeout: 1 }),
      row('filter', 0, { wrong_answer: 2 }, {}),
    ];
    expect(keptVerdict(funnel)).toEqual({
      isTotalLoss: true,
      commonest: { stage: 'rollout', kind: 'failed', reason: 'answer_truncated', count: 7 },
      lines: [
        'nothing was kept: the commonest cause is answer_truncated (7 of 10 failed at rollout)',
        'what to do: raise sampling.max_tokens of the model whose answers are cut (models.NAME, or the role itself)',
      ],
    });
  });

  test('of wrong answers the judge that reads words is named', () => {
    const { lines } = keptVerdict([row('tasks', 173, {}, {}), row('filter', 1, { wrong_answer: 172 }, {})]);
    expect(lines.join()).toContain('judge.text is rule_then_model');
  });

  test('a run that kept less than half says so, and is no failure', () => {
    const funnel = [row('tasks', 10, {}, {}), row('filter', 4, { over_quota: 6 }, {})];
    expect(keptVerdict(funnel)).toMatchObject({
      isTotalLoss: false,
      lines: [
        'only 4 of 10 were kept: the commonest cause is over_quota (6 of 10 dropped at filter)',
        'what to do: nothing, if such quotas are meant; else change balance, or synthesize.choose',
      ],
    });
  });

  test('records that the machine lost are named with the command that tries them again, however many were kept', () => {
    const funnel = [
      row('tasks', 10, {}, {}),
      row('rollout', 8, {}, { endpoint_timeout: 1, internal: 1 }),
      row('judge', 7, {}, { sandbox_unavailable: 1 }),
    ];
    const lines = machineLosses(funnel, 'coa-distill run coa.yaml');
    expect(lines).toEqual([
      expect.stringMatching(/^1 of 10 .*rollout.*internal.* --retry failed:internal$/),
      expect.stringMatching(/^1 of 10 .*judge.*sandbox_unavailable.* --retry failed:sandbox_unavailable$/),
    ]);
    expect(machineLosses(funnel, undefined).join()).not.toContain('--retry');
    expect(machineLosses([row('rollout', 8, { wrong_answer: 1 }, { endpoint_timeout: 1 })], 'x')).toEqual([]);
  });

  test('rows of several rollouts a task are counted against the rollouts', () => {
    const funnel = [
      row('tasks', 10, {}, {}),
      row('rollout', 28, {}, { model_refused: 2 }),
      row('filter', 4, { wrong_answer: 24 }, {}),
    ];
    expect(keptVerdict(funnel).lines[0]).toBe(
      'only 4 of 30 were kept: the commonest cause is wrong_answer (24 of 30 dropped at filter)',
    );
    const synthesis = [
      row('documents', 310, {}, {}),
      row('seeds', 1400, {}, {}),
      row('check', 0, { answer_drift: 365 }, {}),
    ];
    expect(keptVerdict(synthesis).lines[0]).toContain('(365 of 1400 dropped at check)');
  });

  test.each([
    ...dropReasonSchema.options.map((reason) => [reason, 'dropped'] as const),
    ...failureCauseSchema.options.map((cause) => [cause, 'failed'] as const),
  ])('where most ended as %s, it is said what to do', (reason, kind) => {
    const lost = { [reason]: 6 };
    const funnel = [
      row('tasks', 10, {}, {}),
      row('filter', 4, kind === 'dropped' ? lost : {}, kind === 'failed' ? lost : {}),
    ];
    expect(keptVerdict(funnel).lines[1]).toMatch(/^what to do: ./);
  });

  test('half is enough to say nothing, and a run without records has lost none', () => {
    expect(keptVerdict([row('tasks', 5, { bad_task: 5 }, {})])).toEqual({ isTotalLoss: false, lines: [] });
    expect(keptVerdict([])).toEqual({ isTotalLoss: false, lines: [] });
    expect(keptVerdict([row('tasks', 0, {}, {})])).toEqual({ isTotalLoss: false, lines: [] });
  });

  test('for all counts: a total loss is one in which records entered and none left', () => {
    const losses = fc.dictionary(fc.constantFrom('wrong_answer', 'over_quota', 'too_long'), fc.nat(9));
    fc.assert(
      fc.property(fc.nat(20), losses, losses, (emitted, dropped, failed) => {
        const funnel = [row('judge', emitted, dropped, failed)];
        const { isTotalLoss, lines } = keptVerdict(funnel);
        expect(isTotalLoss).toBe(funnel[0]!.entered > 0 && emitted === 0);
        expect(lines.length > 0).toBe(2 * emitted < funnel[0]!.entered);
      }),
    );
  });
});
