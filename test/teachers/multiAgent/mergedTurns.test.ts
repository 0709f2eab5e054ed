import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import type { ChatModel, ChatRequest } from '../../../contract/chatModel.ts';
import type { Promises } from '../../../schemas/config/resolved/promises.ts';
import { fakeModel } from '../../support/fakeModel.ts';
import { agentCallsOf, askedRole, taskOf, teamOf, traceOf } from '../support/team.ts';
import { neverAborted } from '../support/tinyModel.ts';

const think = 'It is in the passage.';
const plan = { think, next: { action: 'plan', plan: ['Find the founder.', 'Check the year.'] } };
const search = (query: string) => ({ think, next: { action: 'wiki_search', input: { query } } });
const answer = { think, next: { action: 'answer', answer: 'Ada Torrin' } };

/** A model that gives a list of answers, one after the other. */
function giving(answers: readonly JsonObject[], asked: ChatRequest[] = []): ChatModel {
  return fakeModel((request) => {
    asked.push(request);
    return { content: JSON.stringify(answers[Math.min(asked.length, answers.length) - 1]) };
  }, 'native');
}

async function callsOf(model: ChatModel, more: Parameters<typeof teamOf>[1] = {}) {
  const outcome = await teamOf(model, { turns: 'merged', ...more }).solve(taskOf('mhqa'), {
    signal: neverAborted,
  });
  return agentCallsOf(traceOf(outcome));
}

test('a turn is one call, recorded as its parts are apart', async () => {
  const calls = await callsOf(giving([plan, search('founder of Vell'), answer]));
  expect(calls.map(({ role, action, answer: said }) => ({ role, action, said }))).toEqual([
    { role: 'planner', action: 'plan', said: { think, plan: '1. Find the founder.\n2. Check the year.' } },
    {
      role: 'orchestrator',
      action: 'wiki_search',
      said: { think, next: 'wiki_search', input: { query: 'founder of Vell' } },
    },
    { role: 'answerer', action: 'answer', said: { think, answer: 'Ada Torrin' } },
  ]);
});

test.each([
  ['an action that is not allowed now', answer],
  ['an action that nobody has', { think, next: { action: 'sleep' } }],
  ['no action', { think }],
  ['no thought', { next: plan.next }],
  ["the form's dots", { think: '...', next: plan.next }],
  ["the form's dots as the action's words", { think, next: { action: 'plan', plan: ['...'] } }],
  [
    'a duty of the prompt as the plan',
    {
      think,
      next: {
        action: 'plan',
        plan: ['1. Breaks the task into a few steps, each with its tool'],
      },
    },
  ],
  ['words of another action', { think, next: { action: 'plan', answer: 'Ada Torrin' } }],
])('%s: asked again', async (_, bad) => {
  for (const hasOneSchema of [false, true]) {
    const [first] = await callsOf(giving([bad, plan, answer]), { hasOneSchema });
    expect(first).toMatchObject({ role: 'planner', malformed: [{ content: JSON.stringify(bad) }] });
  }
});

test("the action's members are taken beside its name too, as models without a schema write them", async () => {
  const flat = { think, next: 'plan', plan: 'Find the founder.' };
  const [first] = await callsOf(giving([flat, answer]));
  expect(first).toMatchObject({ malformed: [], answer: { think, plan: 'Find the founder.' } });
});

const longThink = 'The founder of Vell is what everything else here depends on.';

test.each([
  ['finds no new input', search('founder of Vell'), search('founder of Vell')],
  [
    'is called with a copied thought',
    { ...search('founder of Vell'), think: longThink },
    { ...search('who founded the town in the north'), think: longThink },
  ],
])('a tool that %s leaves the choice, and comes back after another action', async (_, first, again) => {
  const promises: Promises = { interactions: { count: 'tools', least: 1 }, mostRepeats: 0, similarity: null };
  const asked: ChatRequest[] = [];
  const reflection = { think, next: { action: 'reflection', reflection: 'The founder is named there.' } };
  const calls = await callsOf(giving([plan, first, again, again, again, reflection, answer], asked), {
    promisesOf: () => promises,
  });
  expect(calls.map(({ action, failure }) => [action, failure?.cause ?? null])).toEqual([
    ['plan', null],
    ['wiki_search', null],
    [null, 'malformed_answer'],
    ['reflection', null],
    ['answer', null],
  ]);
  const offers = (request: ChatRequest) => JSON.stringify(request.response_schema).includes('"wiki_search"');
  expect(asked.map(offers)).toEqual([false, true, true, true, true, false, true]);
});

test('a role with another model takes its actions in a call of its own', async () => {
  const asked: ChatRequest[] = [];
  const model = giving(
    [
      plan,
      { think, next: { action: 'wiki_search' } },
      { tool: 'wiki_search', input: { query: 'Vell' } },
      answer,
    ],
    asked,
  );
  const calls = await callsOf(model, { isMerged: (role) => role !== 'tool_agent' });
  expect(calls.map(({ role, action }) => [role, action])).toEqual([
    ['planner', 'plan'],
    ['orchestrator', 'wiki_search'],
    ['tool_agent', 'wiki_search'],
    ['answerer', 'answer'],
  ]);
  expect(asked.map(({ messages }) => askedRole(messages))).toEqual([
    'the whole team',
    'the whole team',
    'tool agent',
    'the whole team',
  ]);
});
