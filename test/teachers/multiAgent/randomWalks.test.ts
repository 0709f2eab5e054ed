import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { TeacherOutcome } from '../../../contract/teacher.ts';
import { gradesBody, scoreBody } from '../../../schemas/coa/bodies.ts';
import { allowedActions, isFinal, type TakenAction } from '../../../schemas/coa/machine.ts';
import { type Profile, tagRule } from '../../../schemas/coa/profile.ts';
import { builtinProfile, builtinProfileNames } from '../../../schemas/coa/profiles/builtin.ts';
import { type TraceEvent, traceEventSchema, traceSchema } from '../../../schemas/trace.ts';
import { randomModel } from '../support/randomModel.ts';
import { anyPlay, taskOf, teamOf } from '../support/team.ts';
import { neverAborted } from '../support/tinyModel.ts';

const anyWalk = fc.record({
  profile: fc.constantFrom(...builtinProfileNames),
  seed: fc.nat(),
  style: fc.constantFrom('native' as const, 'structured' as const),
  slipRate: fc.constantFrom(0, 0.1, 0.5),
  max_steps: fc.integer({ min: 1, max: 36 }),
  play: anyPlay,
});
type Walk = Omit<typeof anyWalk extends fc.Arbitrary<infer T> ? T : never, 'play'> & {
  readonly play: Parameters<typeof teamOf>[1];
};

function walk({ profile, seed, style, slipRate, max_steps, play }: Walk): Promise<TeacherOutcome> {
  return teamOf(randomModel(seed, style, slipRate), { budget: { max_steps }, ...play }).solve(
    taskOf(profile),
    {
      signal: neverAborted,
    },
  );
}

function eventsOf(outcome: TeacherOutcome): readonly TraceEvent[] {
  if (outcome.kind === 'solved') return outcome.trace.events;
  return traceEventSchema.array().parse(outcome.partial.events);
}

/** The actions of a trace, told from its events alone. */
function actionsOf(profile: Profile, events: readonly TraceEvent[]): TakenAction[] {
  return events.flatMap((event): TakenAction[] => {
    if (event.failure) return [];
    if (event.type === 'tool_call') return [{ tag: event.tool, body: '' }];
    if (event.role === 'orchestrator' || event.role === 'tool_agent') return [];
    return [{ tag: event.action!, body: bodyOf(profile, event.action!, event.answer!) }];
  });
}

function bodyOf(profile: Profile, tag: string, answer: JsonObject): string {
  const rule = tagRule(profile, tag)?.body;
  if (rule === 'score') return scoreBody(Number(answer.score));
  return rule === 'grades' ? gradesBody(answer as Record<string, string>) : 'words';
}

describe('whatever a model answers', () => {
  test('the team takes only actions that the grammar allows, and ends for a true cause', async () => {
    await fc.assert(
      fc.asyncProperty(anyWalk, async (given) => {
        const outcome = await walk(given);
        const profile = builtinProfile(given.profile)!;
        const actions = actionsOf(profile, eventsOf(outcome));
        actions.forEach((action, index) => {
          expect(allowedActions(profile, actions.slice(0, index))).toContain(action.tag);
        });
        expect(actions.length).toBeLessThanOrEqual(given.max_steps);
        if (outcome.kind === 'failed') {
          expect(['malformed_answer', 'budget_steps']).toContain(outcome.failure.cause);
        } else {
          const last = actions.at(-1)!;
          expect(isFinal(profile, last.tag) || last.tag === 'double_check').toBe(true);
          expect(traceSchema.parse(outcome.trace)).toEqual(outcome.trace);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('users and assistants alternate in every request, and every message is kept once', async () => {
    await fc.assert(
      fc.asyncProperty(anyWalk, async (given) => {
        const outcome = await walk(given);
        const kept = outcome.kind === 'solved' ? outcome.trace.messages : outcome.partial.messages;
        const messages = kept as Readonly<Record<string, { role: string; tool_calls?: unknown }>>;
        for (const event of eventsOf(outcome)) {
          if (event.type !== 'agent_call') continue;
          const turns = event.messages.map((id) => messages[id]!);
          expect(turns[0]!.role).toBe('system');
          expect(turns.at(-1)!.role).toBe('user');
          turns.slice(1).forEach((turn, index) => {
            const before = turns[index]!;
            expect(turn.role).not.toBe(before.role);
            // A tool's result stands right after its call, and nowhere else.
            expect(turn.role === 'tool').toBe(before.role === 'assistant' && before.tool_calls !== undefined);
          });
        }
      }),
      { numRuns: 100 },
    );
  });

  test('two runs give the same ids; parents come before children', async () => {
    await fc.assert(
      fc.asyncProperty(anyWalk, async (given) => {
        const [first, second] = [eventsOf(await walk(given)), eventsOf(await walk(given))];
        expect(second.map((event) => event.id)).toEqual(first.map((event) => event.id));
        expect(new Set(first.map((event) => event.id)).size).toBe(first.length);
        first.forEach((event, index) => {
          expect(event.parent).toBe(first[index - 1]?.id ?? null);
        });
      }),
      { numRuns: 50 },
    );
  });

  test('a model that answers well ends within the steps that the grammar needs', async () => {
    for (const profile of builtinProfileNames) {
      const ends = await Promise.all(
        Array.from({ length: 20 }, (_, seed) =>
          walk({ profile, seed, style: 'native', slipRate: 0, max_steps: 12, play: {} }),
        ),
      );
      expect(ends.filter((end) => end.kind === 'solved').length).toBeGreaterThan(5);
    }
  });
});
