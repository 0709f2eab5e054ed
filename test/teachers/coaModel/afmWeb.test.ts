import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { playerPresets, withPlayerPreset } from '../../../schemas/config/playerPresets.ts';
import { cutText } from '../../../teachers/coaModel/cutContext.ts';
import { expectSourced, type SourcedFigure } from '../../support/sourcedFigures.ts';
import { goesOn, plainPrompt } from '../support/player.ts';
import { allTools } from '../support/team.ts';
import { answer, opening, playAgainst, search, textOf } from './support/playAgainst.ts';

const driver = 'AFM/evaluation/web_agent/inference_web_agent.py';
const figures: readonly SourcedFigure[] = [
  ['rollouts', 5, `${driver}:64`],
  ['sampling.temperature', 1, `${driver}:55`],
  ['sampling.top_p', 0.9, `${driver}:56`],
  ['sampling.presence_penalty', 0, `${driver}:57`],
  ['sampling.frequency_penalty', 0, `${driver}:58`],
  ['sampling.max_tokens', 4096, `${driver}:59`],
  ['budget.max_steps', 36, `${driver}:62`],
  ['player.max_context_tokens', 32_768, `${driver}:60`],
  ['player.context', 'cut', `${driver}:79-80`],
  ['player.repeats_before_warning', 5, `${driver}:202`],
  ['player.broken_steps', 10, `${driver}:192`],
  ['player.tries', 3, `${driver}:303`],
  ['player.suggested_as_answer', true, `${driver}:253-259`],
];

test("the preset's figures are those of AFM's driver, the paper's top_k beside them by another name", () => {
  expectSourced(playerPresets.afm_web, figures);
  expectSourced(playerPresets.afm_web_paper, [
    ...figures,
    ['sampling.top_k', 20, 'paper (arXiv 2508.13167), settings of sampling'],
  ]);
});

test('what is written wins over the preset key by key; a team has no player', () => {
  const teacher = { backend: 'coa_model', sampling: { top_p: 1 }, player: { preset: 'afm_web', tries: 1 } };
  const { sampling, player, budget } = playerPresets.afm_web;
  expect(withPlayerPreset({ teacher })).toMatchObject({
    teacher: { sampling: { ...sampling, top_p: 1 }, player: { ...player, tries: 1 }, budget },
  });
  const team = { teacher: { ...teacher, backend: 'openai' } };
  expect(withPlayerPreset(team)).toBe(team);
});

/** Trajectories as AFM's own function cut them, with characters for tokens (`AFM/evaluation/web_agent/utils.py`). */
const cases = readFileSync(new URL('../../fixtures/afmWebCut/cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { text: string; room: number; cut: string });

test.each(cases)('$room tokens of a trajectory are those that AFM shows', async ({ text, room, cut }) => {
  const keptTags = ['plan', 'reflection'];
  expect(await cutText({ text, room, keptTags, textWithin: plainPrompt.textWithin })).toBe(cut);
});

const counting = () => {
  const inputs: unknown[] = [];
  const wiki = allTools.get('wiki_search')!;
  const call: typeof wiki.call = async (input) => {
    inputs.push(input);
    return { observation: 'nothing', raw: null };
  };
  return { inputs, tools: new Map([['wiki_search', { ...wiki, call }]]) };
};

test('a repeated call and the one after five of a tool are not made; the answer after them is', async () => {
  const { inputs, tools } = counting();
  const steps = [opening, search('Vell'), ...['a', 'b', 'c', 'd'].map(search), answer('x')];
  const { trajectory, outcome } = await playAgainst(steps, { tools, player: { repeats_before_warning: 5 } });
  expect(inputs).toEqual(['Vell', 'a', 'b', 'c'].map((query) => ({ query })));
  const shown = trajectory.segments.filter(({ origin }) => origin === 'environment');
  expect(shown.map(({ text }) => text.includes('not made'))).toEqual([
    false,
    true,
    false,
    false,
    false,
    true,
  ]);
  expect(outcome).toMatchObject({ kind: 'solved', trace: { final_answer: 'x' } });
});

test('a step that breaks off is left out and asked for again, until too many have', async () => {
  const broken = goesOn('<think>I wonder', { stop_reason: null });
  const player = { broken_steps: 3 };
  const { trajectory, requests } = await playAgainst([goesOn(opening), broken, broken, goesOn(answer('x'))], {
    player,
  });
  expect(textOf(trajectory)).not.toContain('wonder');
  expect(requests[2]!.body).toEqual(requests[1]!.body);
  const ended = await playAgainst([goesOn(opening), broken, broken, broken], { player });
  expect(ended.failure.cause).toBe('malformed_answer');
  expect(ended.incidents).toEqual(['ended_in_step']);
});

test('a task without an answer is begun again; the tries before are counted with their causes', async () => {
  const broken = goesOn('I do not know.', { stop_reason: null });
  const steps = [broken, broken, goesOn(opening), goesOn(answer('x'))];
  const { outcome, prompts } = await playAgainst(steps, { player: { tries: 3 } });
  expect(prompts[2]).toBe(prompts[0]);
  const { events, failed_tries, totals } = (
    outcome as unknown as { trace: JsonObject & { events: unknown[] } }
  ).trace;
  expect(failed_tries).toMatchObject([
    { failure: { cause: 'malformed_answer' }, totals: { model_calls: 1 } },
    { failure: { cause: 'malformed_answer' }, totals: { model_calls: 1 } },
  ]);
  expect(totals).toMatchObject({ model_calls: 4, completion_tokens: 40 });
  expect(events).toHaveLength(3);
  const { failure, requests } = await playAgainst([broken, broken, broken], { player: { tries: 3 } });
  expect([failure.cause, requests.length]).toEqual(['malformed_answer', 3]);
});

test('a trajectory that is too long is cut, plans first, and play goes on', async () => {
  const { prompts, trajectory, failure } = await (async () => {
    const game = await playAgainst(
      (_, count) => goesOn(count === 0 ? opening : count < 9 ? search(`number ${count}`) : answer('x')),
      { player: { max_context_tokens: 5_000, context: 'cut' }, sampling: { max_tokens: 100 } },
    );
    return { prompts: game.prompts, trajectory: game.trajectory, failure: game.outcome.kind };
  })();
  expect(failure).toBe('solved');
  const plan = '<plan>Search, then answer.</plan>';
  const asked = prompts[0]!;
  for (const prompt of prompts.slice(1)) expect(prompt.startsWith(asked + plan)).toBe(true);
  expect(prompts.at(-1)!.length).toBeLessThan(asked.length + textOf(trajectory).length);
  expect(textOf(trajectory).startsWith(opening)).toBe(true);
});
