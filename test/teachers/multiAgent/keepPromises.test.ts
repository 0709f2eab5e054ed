import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { ChatModel } from '../../../contract/chatModel.ts';
import { builtinProfile, builtinProfileNames } from '../../../schemas/coa/profiles/builtin.ts';
import { convertConfigSchema } from '../../../schemas/config/convert.ts';
import { filtersConfigSchema } from '../../../schemas/config/filters.ts';
import type { Promises } from '../../../schemas/config/resolved/promises.ts';
import { brokenRules } from '../../../schemas/filters/filterRules.ts';
import { nearRedundantInputs } from '../../../schemas/filters/nearRedundantInputs.ts';
import { isFormText, shownForms } from '../../../schemas/roleForms.ts';
import { convertTrace } from '../../../stages/convert/createConvertStage.ts';
import { endsInLoop } from '../../../teachers/multiAgent/askRole.ts';
import { fakeModel } from '../../support/fakeModel.ts';
import { randomModel } from '../support/randomModel.ts';
import { agentCallsOf, anyPlay, askedRole, taskOf, teamOf, traceOf } from '../support/team.ts';
import { neverAborted } from '../support/tinyModel.ts';

const anyTeam = fc.record({
  profile: fc.constantFrom(...builtinProfileNames),
  seed: fc.nat(),
  style: fc.constantFrom('native' as const, 'structured' as const),
  slipRate: fc.constantFrom(0, 0.2),
  least: fc.nat(6),
  count: fc.constantFrom('tools' as const, 'agents' as const),
  most: fc.constantFrom(0, 1, null),
  similarity: fc.constantFrom(0.9, null),
  play: anyPlay,
});

test('a solved trace breaks no filter that the team knew; nothing that was refused is lost', async () => {
  const ends = { solved: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      anyTeam,
      async ({ profile: name, seed, style, slipRate, least, count, most, similarity, play }) => {
        const profile = builtinProfile(name)!;
        const promises: Promises = { interactions: { count, least }, mostRepeats: most, similarity };
        const asked: string[] = [];
        const model = recording(randomModel(seed, style, slipRate), asked);
        const outcome = await teamOf(model, { promisesOf: () => promises, ...play }).solve(taskOf(name), {
          signal: neverAborted,
        });
        if (outcome.kind === 'failed') {
          expect(['malformed_answer', 'budget_steps']).toContain(outcome.failure.cause);
          return;
        }
        const { trace } = outcome;
        const calls = trace.events.filter((event) => event.type === 'agent_call');
        const kept = calls.flatMap(({ malformed, content, tool_calls }) => [
          ...malformed.map((slip) => slip.content),
          content ?? tool_calls.map((call) => call.function.arguments).join(),
        ]);
        expect(kept).toHaveLength(asked.length);
        ends.refused += calls.reduce((sum, { malformed }) => sum + malformed.length, 0);
        ends.solved++;
        const trajectory = convertTrace(trace, profile, '', convertConfigSchema.parse({}));
        const settings = filtersConfigSchema.parse({
          min_interactions: { [name]: least, count },
          max_redundant_tool_inputs: most,
          tool_input_similarity: similarity,
        });
        const nearInputs = similarity === null ? [] : nearRedundantInputs(trajectory, profile, similarity);
        const steps = trajectory.segments.filter(({ tag }) => !['think', 'observation'].includes(tag)).length;
        const measures = { near_redundant_tool_inputs: nearInputs.length, steps, chars: 0 };
        const broken = brokenRules(trajectory, { settings, profile, seed: 0, measures, nearInputs });
        const known = ['too_few_interactions', 'redundant_tool_input', 'form_text'];
        const isInsisted = calls.some(
          ({ action, malformed }) =>
            /answer/.test(action ?? '') && malformed.at(-1)?.error.includes('too early'),
        );
        const reasons = broken.map(({ reason }) => reason).filter((reason) => known.includes(reason));
        expect(reasons).toEqual(isInsisted && reasons.length > 0 ? ['too_few_interactions'] : []);
      },
    ),
    { numRuns: 200 },
  );
  expect(ends.solved).toBeGreaterThan(20);
  expect(ends.refused).toBeGreaterThan(20);
});

/** The model, and what it was asked for and gave. */
function recording(model: ChatModel, asked: string[]): ChatModel {
  return {
    ...model,
    async chat(...request) {
      const answer = await model.chat(...request);
      asked.push(answer.content ?? '');
      return answer;
    },
  };
}

/** A model that plays a list of answers, by the role that it is asked as. */
function playing(answers: Readonly<Record<string, readonly JsonObject[]>>): ChatModel {
  const places = new Map<string, number>();
  return fakeModel(({ messages }) => {
    const role = askedRole(messages);
    const at = places.get(role) ?? 0;
    places.set(role, at + 1);
    const list = answers[role] ?? [];
    return { content: JSON.stringify(list[Math.min(at, list.length - 1)] ?? {}) };
  });
}

const think = 'It is in the passage.';
const promises: Promises = { interactions: { count: 'tools', least: 1 }, mostRepeats: 0, similarity: 0.9 };
const solve = (answers: Parameters<typeof playing>[0]) =>
  teamOf(playing(answers), { promisesOf: () => promises }).solve(taskOf('mhqa'), { signal: neverAborted });
const search = (query: string) => ({ tool: 'wiki_search', input: { query } });

describe('a team that knows the filters', () => {
  const answer = [{ think, answer: 'Ada Torrin' }];
  const played = {
    planner: [{ think, plan: ['Find the founder.', 'Check the year.'] }],
    orchestrator: [
      { think, next: 'wiki_search' },
      { think, next: 'answer' },
    ],
    'tool agent': [search('founder of Vell')],
    answerer: answer,
  };

  test('offers no answer before the interactions that are asked for, and says where it is', async () => {
    const choices: string[] = [];
    const model = playing(played);
    const chat: ChatModel['chat'] = (request, ...rest) => {
      const text = request.messages.at(-1)!.content as string;
      if (text.includes('Pick the next action')) choices.push(text);
      return model.chat(request, ...rest);
    };
    const outcome = await teamOf({ ...model, chat }, { promisesOf: () => promises }).solve(taskOf('mhqa'), {
      signal: neverAborted,
    });
    expect(outcome).toMatchObject({ kind: 'solved' });
    expect(choices[0]).not.toContain('"answer"');
    expect(choices.some((text) => text.includes('"answer"') && text.includes('1 of at least 1'))).toBe(true);
  });

  describe('asks again for a suggested answer that comes too early', () => {
    const two: Promises = { ...promises, interactions: { count: 'tools', least: 2 } };
    const query = (words: string) => ({ action: 'web_search', input: { query: words } });
    const suggested = { action: 'suggested_answer', answer: 'Ada Torrin' };
    const planned = { action: 'plan', plan: ['Find the founder.'] };
    const check = (score: number) => ({ action: 'double_check', score });
    /** A team that gives these turns, apart or merged. */
    const solveWeb = (turns: 'apart' | 'merged', nexts: readonly { readonly action: string }[]) => {
      let at = 0;
      const merged = fakeModel(() => ({
        content: JSON.stringify({ think, next: nexts[Math.min(at++, nexts.length - 1)] }),
      }));
      const own = turns === 'merged' ? merged : playing(partsOf(nexts));
      return teamOf(own, { promisesOf: () => two, turns }).solve(taskOf('web'), { signal: neverAborted });
    };
    /** What each role says apart for turns that are given as merged ones. */
    const partsOf = (nexts: readonly { readonly action: string }[]) => {
      const of = (action: string) => nexts.filter((next) => next.action === action);
      // What the grammar leaves no choice of is not asked for.
      const firstAsks = nexts.filter(({ action }, place) => {
        const isOnly = action === 'double_check' && nexts[place - 1]?.action === 'suggested_answer';
        return action !== 'plan' && !isOnly;
      });
      const taken = (action: string) => of(action).map(({ action: _, ...words }) => ({ think, ...words }));
      return {
        planner: taken('plan'),
        orchestrator: firstAsks.map(({ action }) => ({ think, next: action })),
        'tool agent': of('web_search').map(({ action, ...call }) => ({ tool: action, ...call })),
        answerer: taken('suggested_answer'),
        verifier: taken('double_check'),
      };
    };

    test.each(['apart', 'merged'] as const)('%s: and goes on where another turn comes', async (turns) => {
      const nexts = [
        planned,
        query('founder of Vell'),
        suggested,
        query('harbour archive'),
        suggested,
        check(4),
      ];
      const trace = traceOf(await solveWeb(turns, nexts));
      expect(trace.final_answer).toBe('Ada Torrin');
      expect(agentCallsOf(trace).flatMap(({ malformed }) => malformed)).toHaveLength(1);
      expect(trace.events.filter(({ type }) => type === 'tool_call')).toHaveLength(2);
    });

    test.each(['apart', 'merged'] as const)('%s: and takes it where the model insists', async (turns) => {
      const nexts = [planned, query('founder of Vell'), suggested, suggested, suggested, check(4)];
      const trace = traceOf(await solveWeb(turns, nexts));
      expect(trace.final_answer).toBe('Ada Torrin');
      expect(agentCallsOf(trace).map(({ failure }) => failure)).not.toContainEqual(expect.anything());
      expect(Math.max(...agentCallsOf(trace).map(({ malformed }) => malformed.length))).toBe(2);
    });

    test.each(['apart', 'merged'] as const)(
      '%s: and takes nothing that the grammar forbids',
      async (turns) => {
        const outcome = await solveWeb(turns, [
          planned,
          query('founder of Vell'),
          check(4),
          check(4),
          check(4),
        ]);
        expect(outcome).toMatchObject({ kind: 'failed', failure: { cause: 'malformed_answer' } });
      },
    );
  });

  test('asks a repeated input again, and leaves the tool where nothing new comes', async () => {
    const outcome = await solve({
      ...played,
      orchestrator: [{ think, next: 'wiki_search' }, ...played.orchestrator],
      'tool agent': [search('founder of Vell'), search('Vell, founder of')],
    });
    const trace = traceOf(outcome);
    const agents = agentCallsOf(trace).filter(({ role }) => role === 'tool_agent');
    expect(agents.map(({ failure }) => failure?.cause ?? null)).toEqual([null, 'malformed_answer']);
    expect(trace.events.filter((event) => event.type === 'tool_call')).toHaveLength(1);
  });

  test.each([
    ['the form of the answer', { think, answer: shownForms.answer.qa }],
    ['dots', { think, answer: '...' }],
    ['the form in other letters', { think, answer: '"Only the value, copied from a result."' }],
  ])('takes no %s for an answer', async (_, copied) => {
    const trace = traceOf(await solve({ ...played, answerer: [copied, ...answer] }));
    expect(trace.events.at(-1)).toMatchObject({ malformed: { length: 1 } });
    expect(trace.final_answer).toBe('Ada Torrin');
  });

  test('takes no copy of an earlier text, but where nothing was promised', async () => {
    const copy = 'The passage names the founder, and leaves the year open.';
    const model = () =>
      playing({
        ...played,
        orchestrator: [
          { think: copy, next: 'wiki_search' },
          { think: copy, next: 'answer' },
          { think, next: 'answer' },
        ],
      });
    const malformed = async (more: Parameters<typeof teamOf>[1]) => {
      const outcome = await teamOf(model(), more).solve(taskOf('mhqa'), { signal: neverAborted });
      return Math.max(...agentCallsOf(traceOf(outcome)).map((call) => call.malformed.length));
    };
    expect(await malformed({ promisesOf: () => promises })).toBe(1);
    expect(await malformed({})).toBe(0);
  });

  test('records a plan that came as a list as lines with numbers', async () => {
    const planned = agentCallsOf(traceOf(await solve(played))).find(({ action }) => action === 'plan');
    expect(planned).toMatchObject({ answer: { plan: '1. Find the founder.\n2. Check the year.' } });
  });
});

test('every form is known as one, and answers that are signs are not', () => {
  for (const form of [
    '...',
    'First step',
    '<next step>',
    '2. and so on',
    ...Object.values(shownForms.answer),
  ])
    expect(isFormText(form)).toBe(true);
  for (const answer of ['42', '{}', '-', '()', 'The answer is 4', '<', 'Dot.'])
    expect(isFormText(answer)).toBe(false);
});

test('a text that goes round in circles is known, whatever it repeats and wherever it was cut', () => {
  const piece = fc.string({ minLength: 8, maxLength: 100 });
  fc.assert(
    fc.property(
      fc.string(),
      piece,
      fc.integer({ min: 6, max: 12 }),
      fc.nat(50),
      (start, piece, times, cut) => {
        const text = start + piece.repeat(times);
        expect(endsInLoop(text.slice(0, text.length - Math.min(cut, piece.length)))).toBe(true);
      },
    ),
  );
  for (const text of ['', 'Yes.', 'The price of 14 pencils is 630 cents, that is 6.30 dollars.'])
    expect(endsInLoop(text)).toBe(false);
});
