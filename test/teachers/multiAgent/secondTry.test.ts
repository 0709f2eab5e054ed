import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allowedActions, isFinal } from '../../../schemas/coa/machine.ts';
import { builtinProfile, builtinProfileNames } from '../../../schemas/coa/profiles/builtin.ts';
import { ownEvents, traceSchema } from '../../../schemas/trace.ts';
import { convertTrace } from '../../../stages/convert/createConvertStage.ts';
import { HINT_LINE } from '../../../teachers/multiAgent/conversation.ts';
import { turnsBeforeAnswer } from '../../../teachers/multiAgent/turnsOfTrace.ts';
import { randomModel } from '../support/randomModel.ts';
import { anyPlay, taskOf, teamOf } from '../support/team.ts';
import { neverAborted } from '../support/tinyModel.ts';

const anyPair = fc.record({
  profile: fc.constantFrom(...builtinProfileNames),
  style: fc.constantFrom('native' as const, 'structured' as const),
  slipRate: fc.constantFrom(0, 0.1),
  first: fc.nat(),
  second: fc.nat(),
  rollout: fc.constantFrom(0, 2),
  play: anyPlay,
});

test('a second try goes on where the first gave its answer, is told that it was wrong, and never the right one', async () => {
  let solved = 0;
  await fc.assert(
    fc.asyncProperty(anyPair, async ({ profile: name, style, slipRate, first, second, rollout, play }) => {
      const gold = 'Zebulon Quartermain';
      const task = taskOf(name, { answers: [gold] });
      const profile = builtinProfile(name)!;
      const solve = (seed: number, context: object) =>
        teamOf(randomModel(seed, style, slipRate), play).solve(task, { signal: neverAborted, ...context });
      const wrong = await solve(first, { rollout });
      if (wrong.kind !== 'solved') return;
      const again = await solve(second, { rollout: 4 + rollout, wrongTry: wrong.trace });
      if (again.kind !== 'solved') return;
      solved++;
      const { trace } = again;
      const { turns, events } = turnsBeforeAnswer(wrong.trace, profile);
      expect(traceSchema.parse(trace)).toMatchObject({
        rollout: 4 + rollout,
        repairs: rollout,
        taken_over: events.length,
      });
      // What the first did stands at its beginning, up to the action that ended it, and is the first's in all sums.
      expect(trace.events.slice(0, events.length)).toEqual(wrong.trace.events.slice(0, events.length));
      const ended = [...turns].at(-1);
      expect(allowedActions(profile, turns).length).toBeGreaterThan(0);
      expect(ended && isFinal(profile, ended.tag)).toBe(false);
      const own = ownEvents(trace);
      expect(trace.totals.tool_calls).toBe(own.filter(({ type }) => type === 'tool_call').length);
      // Each of its prompts has the hint once, behind the work of the first, and none has the gold answer.
      for (const event of own) {
        if (event.type !== 'agent_call') continue;
        const text = event.messages.map((id) => trace.messages[id]!.content ?? '').join('\n');
        expect(text.split(HINT_LINE)).toHaveLength(2);
        expect(text).toMatch(/end with this answer:\n.+\nIt is wrong/);
        expect(text).not.toContain(gold);
      }
      const trajectory = convertTrace(trace, profile, 'system');
      expect(trajectory).toMatchObject({ rollout: 4 + rollout, repairs: rollout });
      expect(trajectory.segments.map(({ text }) => text).join('')).not.toContain(HINT_LINE);
    }),
    { numRuns: 60 },
  );
  expect(solved).toBeGreaterThan(15);
});
