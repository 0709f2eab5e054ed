import { expect, test } from 'vitest';
import { RecordFailure } from '../../../contract/errors.ts';
import type { CompletionModel } from '../../../contract/textModels.ts';
import { createTrajectoryPrompt } from '../../../output/dataset/createTrajectoryPrompt.ts';
import { finalAnswer } from '../../../schemas/coa/answers.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { datasetConfigSchema } from '../../../schemas/config/dataset.ts';
import { invalidGrammar } from '../../../schemas/filters/verdictRules.ts';
import { goesOn } from '../support/player.ts';
import type { TinyRequest } from '../support/startTinyServer.ts';
import { answer, countedTools, opening, playAgainst, search, textOf } from './support/playAgainst.ts';

const profile = builtinProfile('mhqa')!;
const cut = (text: string) => text.replace(/<\/\w+>$/, '');

test.each([
  ['more than the stop text', `${search('Vell')}\n\n<obs`, {}, ['stop_inside_token']],
  ['no stop text', cut(search('Vell')), {}, ['stop_left_out']],
  [
    'no stop text, and says which it was',
    cut(search('Vell')),
    { stop_reason: '</wiki_search>' },
    ['stop_left_out'],
  ],
  ['the stop text', search('Vell'), {}, []],
])('a server that sends %s gives the same trajectory', async (_, text, choice, incidents) => {
  const played = await playAgainst([opening, goesOn(text, choice), answer('x')]);
  const plain = await playAgainst([opening, search('Vell'), answer('x')]);
  expect(played.incidents).toEqual(incidents);
  expect(textOf(played.trajectory)).toBe(textOf(plain.trajectory));
  expect(invalidGrammar(played.trajectory, profile)).toBeUndefined();
});

test.each([
  ['a server that sends stop texts', {}, { server: 'transformers' }],
  ['a server that says so', { stop_reason: null }, {}],
  ['a server that names a token', { matched_stop: 151645 }, {}],
  ['a server that names a token as text', { matched_stop: '<|im_end|>' }, {}],
  ['a server that names another stop text', { stop_reason: '</answer>' }, {}],
] as const)('a call that %s ended without its stop text is no call', async (_, choice, player) => {
  const { failure, incidents } = await playAgainst([goesOn(cut(opening), choice)], { player });
  expect(failure).toMatchObject({ cause: 'malformed_answer', evidence: { incident: 'ended_in_step' } });
  expect(incidents).toEqual(['ended_in_step']);
});

test.each([
  ['text_outside_tags', `Sure! ${opening}`],
  ['text_outside_tags', opening.replace('\n<plan>', ' and so\n<plan>')],
  ['text_outside_tags', opening.replace('\n<plan>', '\n<Plan>x</Plan>\n<plan>')],
  ['broken_tags', opening.replace('</think>', '')],
  [
    'invented_observation',
    opening.replace('\n<plan>', '\n<observation>\nIt is Bo.\n</observation>\n\n<plan>'),
  ],
])('%s stays as it was written, play goes on, and the filter drops it', async (incident, text) => {
  const { trajectory, incidents, prompts } = await playAgainst([text, answer('x')]);
  expect(incidents).toContain(incident);
  expect(textOf(trajectory).startsWith(`${text}\n<observation>\n`)).toBe(true);
  expect(prompts[1]).toContain(`${text}\n<observation>\n`);
  const written = trajectory.segments
    .filter(({ origin }) => origin === 'model')
    .map((segment) => segment.text);
  expect(written.join('')).toBe(`${text}\n${answer('x')}`);
  expect(invalidGrammar(trajectory, profile)).toBeDefined();
});

test('an end tag that nothing opened ends play', async () => {
  const { failure } = await playAgainst([opening.replace('<wiki_search>', '')]);
  expect(failure).toMatchObject({
    cause: 'malformed_answer',
    evidence: { incident: 'call_without_start_tag' },
  });
});

test.each([
  ['code', '<plan>Go.</plan>\n<think>a</think>\n<code>print(1)</code>', 'expected a fenced py block'],
  [
    'mhqa',
    '<think>a</think>\n<plan>b</plan>\n<think>c</think>\n<wiki_search> </wiki_search>',
    'the block is empty',
  ],
])(
  'malformed input of a tool (%s) is answered by what is wrong, and no call is made',
  async (name, text, problem) => {
    const { inputs, tools } = countedTools();
    const steps = [text, '<answer>x</answer>'];
    const { trajectory, incidents } = await playAgainst(steps, { profile: name, tools });
    expect(inputs).toEqual([]);
    expect(incidents).toEqual(['malformed_tool_input']);
    const seen = trajectory.segments.find(({ origin }) => origin === 'environment');
    expect(seen?.text).toContain(`Invalid input of ${name === 'code' ? 'code' : 'wiki_search'}: ${problem}`);
  },
);

const suggestion = '<think>Nearly.</think>\n<suggested_answer>Bo Ferrin</suggested_answer>\n';
const web = '<think>a</think>\n<plan>b</plan>\n<think>c</think>\n<web_search>Vell</web_search>';

test.each([
  ['budget_steps', { budget: { max_steps: 2 } }, 2],
  ['budget_calls', { player: { max_tool_calls: 1 } }, 2],
  ['budget_tokens', { budget: { max_tokens: 400 } }, 2],
] as const)('%s is an end', async (cause, changes, requests) => {
  const played = await playAgainst(() => goesOn(opening), changes);
  expect(played.failure).toMatchObject({ cause, retryable: false });
  expect(played.requests).toHaveLength(requests);
});

test('a step is never asked for more tokens than the context has left', async () => {
  const { requests, failure } = await playAgainst(() => goesOn('<think>long', { finish_reason: 'length' }), {
    player: { max_context_tokens: 1_500 },
    sampling: { max_tokens: 4_096 },
  });
  const [{ body }] = requests as [TinyRequest];
  expect(body.max_tokens).toBe(1_500 - (body.prompt as string).length);
  expect(failure.cause).toBe('context_exceeded');
});

test('a forced answer is asked for at the limit, and is never trained', async () => {
  const { trajectory, outcome, prompts } = await playAgainst([opening, goesOn('Bo Ferrin')], {
    budget: { max_steps: 1 },
    player: { forced_answer: true },
  });
  expect(prompts[1]!.endsWith('</observation>\n\n<answer>')).toBe(true);
  expect(outcome).toMatchObject({
    trace: { final_answer: 'Bo Ferrin', ending: { by: 'forced_answer', failure: { cause: 'budget_steps' } } },
  });
  expect(trajectory.segments.at(-1)).toMatchObject({
    origin: 'environment',
    text: '<answer>Bo Ferrin</answer>',
  });
  expect(invalidGrammar(trajectory, profile)).toBeDefined();
});

test.each([
  ['at a limit', [web, `${suggestion}<think>more</think>\n<web_search>x</web_search>`], 'budget_steps'],
  [
    'in a step that is cut',
    [web, goesOn(`${suggestion}<think>but`, { finish_reason: 'length' })],
    'answer_truncated',
  ],
])('the last suggested answer stands in %s, and is never trained', async (_, answers, cause) => {
  const { trajectory, outcome } = await playAgainst(answers, {
    profile: 'web',
    budget: { max_steps: 2 },
    player: { suggested_as_answer: true },
  });
  const ending = { by: 'suggested_answer', failure: { cause } };
  expect(outcome).toMatchObject({ trace: { final_answer: 'Bo Ferrin', ending } });
  expect(trajectory.segments.at(-1)).toMatchObject({
    origin: 'environment',
    text: '<answer>Bo Ferrin</answer>',
  });
  expect(invalidGrammar(trajectory, builtinProfile('web')!)).toBeDefined();
});

test('without those settings the same games have no answer', async () => {
  const { failure } = await playAgainst(
    [web, `${suggestion}<think>more</think>\n<web_search>x</web_search>`],
    {
      profile: 'web',
      budget: { max_steps: 2 },
    },
  );
  expect(failure.cause).toBe('budget_steps');
});

test('a tool called in a forced answer is part of it', async () => {
  const text = '<wiki_search>q</wiki_search>\n<answer>Bo Ferrin';
  const { outcome, trajectory } = await playAgainst([opening, goesOn(text)], {
    budget: { max_steps: 1 },
    player: { forced_answer: true },
  });
  expect(outcome).toMatchObject({ trace: { final_answer: 'Bo Ferrin' } });
  expect(trajectory.segments.at(-1)?.text).toBe(`<answer>${text}</answer>`);
  expect(finalAnswer(trajectory)).toBe('Bo Ferrin');
});

test('an answer with words before it is judged as it was read', async () => {
  const { outcome, trajectory } = await playAgainst([opening, 'Sure! <answer>Bo Ferrin</answer>']);
  expect(outcome).toMatchObject({ trace: { final_answer: 'Bo Ferrin' } });
  expect(finalAnswer(trajectory)).toBe('Bo Ferrin');
});

test.each([
  ['a call', '<think>I might <wiki_search>Vell</wiki_search>'],
  ['an end tag of a call', '<think>I end it by </wiki_search>'],
  ['an answer', '<think>Is it <answer>Ostrand</answer>'],
  ['an answer in a plan', '<think>So.</think>\n<plan>Say <answer>Ostrand</answer>'],
])('%s inside another block is none: the model is asked to go on behind it', async (_, begun) => {
  const open = begun.includes('<plan>') ? 'plan' : 'think';
  const rest = `? No.</${open}>\n<answer>Bo Ferrin</answer>`;
  const { outcome, trajectory, prompts, incidents } = await playAgainst([opening, begun, rest]);
  expect(prompts[2]!.endsWith(begun)).toBe(true);
  expect(outcome).toMatchObject({ trace: { final_answer: 'Bo Ferrin' } });
  expect(finalAnswer(trajectory)).toBe('Bo Ferrin');
  expect(textOf(trajectory).endsWith(begun + rest)).toBe(true);
  expect(incidents).toContain('broken_tags');
  expect(invalidGrammar(trajectory, profile)).toBeDefined();
});

test('a step that goes on and on is at its end with the most steps', async () => {
  const { requests, failure } = await playAgainst(() => goesOn('<think>I say </answer>'), {
    budget: { max_steps: 3 },
  });
  expect(requests).toHaveLength(3);
  expect(failure.cause).toBe('budget_steps');
});

test.each(['abort', 'error'])('a step that the server breaks off (%s) is asked for again', async (reason) => {
  const broken = goesOn('<think>I lo', { finish_reason: reason });
  const { requests, incidents } = await playAgainst([broken, opening, answer('x')]);
  expect(requests).toHaveLength(3);
  expect(incidents).toEqual([]);
});

test("the endpoint's failure is the endpoint's", async () => {
  const { failure, outcome } = await playAgainst(() => ({ status: 500, body: 'broken' }), {
    player: { suggested_as_answer: true, forced_answer: true },
  });
  expect(failure).toMatchObject({ cause: 'endpoint_error', retryable: true });
  expect(outcome).toMatchObject({ partial: { events: [{ role: 'model', content: null, answer: null }] } });
});

test('the trace tells each step as it came', async () => {
  const { outcome } = await playAgainst([opening, `${answer('x')}\n`]);
  expect(outcome).toMatchObject({
    kind: 'solved',
    trace: {
      teacher: 'coa_model',
      final_answer: 'x',
      events: [
        { role: 'model', action: 'wiki_search', content: opening, finish_reason: 'stop', model: 'student-1' },
        { type: 'tool_call', tool: 'wiki_search', input: { query: 'Vell' } },
        { role: 'model', action: 'answer', content: `${answer('x')}\n` },
      ],
    },
  });
});

/** A chat endpoint that renders turns itself, and counts what it renders. */
function chatServer(closes: boolean) {
  return async () => {
    const prompt = await createTrajectoryPrompt(datasetConfigSchema.parse({}));
    const seen: { prompt?: unknown; messages?: readonly { content: string }[] }[] = [];
    const texts = [opening, answer('x')];
    const countOf = async (written: string, system: string, user: string) => {
      const segments =
        written === '' ? [] : [{ tag: 'think', origin: 'model' as const, text: written, event: '' }];
      const question = user.split('Question: ')[1]!;
      return (await prompt.render({ system, user, question, segments }, profile)).ids.length;
    };
    const model: CompletionModel = {
      model: 'student',
      async complete({ from, fields, sampling }) {
        const messages = (from as unknown as { messages: readonly { content: string }[] }).messages;
        seen.push({ messages });
        const [system, user, assistant] = messages.map(({ content }) => content);
        if (assistant !== undefined) expect(fields).toMatchObject({ continue_final_message: true });
        const counted = await countOf(assistant ?? '', system!, user!);
        const usage = { prompt_tokens: counted, completion_tokens: 1, cached_tokens: 0 };
        const text = sampling.max_tokens === 1 ? 'x' : texts.shift()!;
        return {
          model: 'student',
          text,
          finish_reason: 'stop',
          stop: '</wiki_search>',
          prompt_tokens: counted + (closes && assistant !== undefined ? 5 : 0),
          usage,
          cost_usd: 0,
          request_hash: 'request',
        };
      },
    };
    return { prompt, model, seen };
  };
}

const chat = { player: { server: 'vllm', api: 'chat' } as const, profiles: [profile] };

test('a chat endpoint that continues a turn exactly is played on', async () => {
  const { prompt, model, seen } = await chatServer(false)();
  const { outcome } = await playAgainst([], { ...chat, prompt, model });
  expect(outcome.kind).toBe('solved');
  // The probe, then the two steps.
  expect(seen.map(({ messages }) => messages!.length)).toEqual([3, 2, 3]);
});

test('a chat endpoint that closes the turn is refused before anything is played', async () => {
  const { prompt, model, seen } = await chatServer(true)();
  await expect(playAgainst([], { ...chat, prompt, model })).rejects.toThrow(
    /api: chat is refused.*reads \d+ tokens where training has \d+/,
  );
  expect(seen).toHaveLength(1);
});

test('a chat endpoint that can not be asked is refused with its reason', async () => {
  const { prompt } = await chatServer(false)();
  const complete = () => Promise.reject(new RecordFailure('endpoint_rejected', '422 unknown field'));
  const model = { model: 'student', complete };
  await expect(playAgainst([], { ...chat, prompt, model })).rejects.toThrow(/chat is refused.*422/);
});
