import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { playerPresets, withPlayerPreset } from '../../../schemas/config/playerPresets.ts';
import { cutText } from '../../../teachers/coaModel/cutContext.ts';
import { expectSourced, type SourcedFigure } from '../../support/sourcedFigures.ts';
import { goesOn, plainPrompt } from '../support/player.ts';
import { answer, countedTools, opening, playAgainst, search, textOf } from './support/playAgainst.ts';

const driver = 'AFM/evaluation/web_agent/inference_web_agent.py';
const figures: readonly SourcedFigure[] = [
  ['rollouts', 5, `${driver}:64`],
  ['model.model', 'scripted-teacher', 'default of teacher.model'],
  ['model.sampling.temperature', 1, `${driver}:55`],
  ['model.sampling.top_p', 0.9, `${driver}:56`],
  ['model.sampling.max_tokens', 4096, `${driver}:59`],
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
    ['model.sampling.top_k', 20, 'paper (arXiv 2508.13167), settings of sampling'],
  ]);
});

test('what is written wins over the preset key by key; a team has no player', () => {
  const teacher = {
    backend: 'coa_model',
    model: { model: 'scripted-teacher', sampling: { top_p: 1 } },
    player: { preset: 'afm_web', tries: 1 },
  };
  const { model, player, budget } = playerPresets.afm_web;
  expect(withPlayerPreset({ teacher })).toMatchObject({
    teacher: {
      model: { model: 'scripted-teacher', sampling: { ...model.sampling, top_p: 1 } },
      player: { ...player, tries: 1 },
      budget,
    },
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

test('a repeated call and the one after five of a tool are not made; the answer after them is', async () => {
  const { inputs, tools } = countedTools();
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

test('a task without an answer is begun again; the tries before are counted, and no part of its text', async () => {
  const broken = goesOn('I do not know.', { stop_reason: null });
  const steps = [broken, goesOn(opening), broken, goesOn(opening), goesOn(answer('x'))];
  const { outcome, trajectory, prompts } = await playAgainst(steps, { player: { tries: 3 } });
  expect([prompts[1], prompts[3]]).toEqual([prompts[0], prompts[0]]);
  expect(outcome).toMatchObject({
    trace: {
      failed_tries: [
        { failure: { cause: 'malformed_answer' }, events: 1 },
        { failure: { cause: 'malformed_answer' }, events: 3 },
      ],
      totals: { model_calls: 5, tool_calls: 2, completion_tokens: 50 },
    },
  });
  expect(textOf(trajectory)).toMatch(/^<think>Two hops.*<answer>x<\/answer>$/s);
  expect(textOf(trajectory).split('<plan>')).toHaveLength(2);
});

test('the last try that fails is the end, and a limit of the task leaves none', async () => {
  const broken = goesOn('I do not know.', { stop_reason: null });
  const player = { tries: 3 };
  const ended = await playAgainst([broken, broken, broken], { player });
  expect([ended.failure.cause, ended.requests.length]).toEqual(['malformed_answer', 3]);
  expect(ended.outcome).toMatchObject({ partial: { failed_tries: [{ events: 1 }, { events: 1 }] } });
  const spent = await playAgainst([goesOn(opening)], { player, budget: { max_tokens: 5 } });
  expect([spent.failure.cause, spent.requests.length]).toEqual(['budget_tokens', 1]);
});

test('a trajectory that is too long is cut, plans first, and play goes on', async () => {
  const { prompts, trajectory } = await playAgainst(
    (_, count) => goesOn(count === 0 ? opening : count < 9 ? search(`number ${count}`) : answer('x')),
    { player: { max_context_tokens: 5_000, context: 'cut' }, sampling: { max_tokens: 100 } },
  );
  const [asked = '', ...later] = prompts;
  const plan = '<plan>Search, then answer.</plan>';
  for (const prompt of later) expect(prompt.startsWith(asked + plan)).toBe(true);
  expect(later.at(-1)!.length).toBeLessThan(asked.length + textOf(trajectory).length);
  expect(textOf(trajectory).startsWith(opening)).toBe(true);
});
