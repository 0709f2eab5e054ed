import { describe, expect, test } from 'vitest';
import { scoreBody } from '../../../schemas/coa/bodies.ts';
import { mathProfile, mhqaProfile, webProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { nextActions, stepsToEnd } from '../../../teachers/multiAgent/nextActions.ts';
import type { Turn } from '../../../teachers/multiAgent/teamState.ts';

const turn = (tag: string, body = 'words'): Turn => ({ tag, body, think: null, call: null });
const question = 'Which?';

test.each([
  [mathProfile, 'plan', 2],
  [mathProfile, 'code', 3],
  [mathProfile, 'answer', 1],
  [mhqaProfile, 'wiki_search', 2],
  [webProfile, 'plan', 3],
  [webProfile, 'suggested_answer', 2],
  [webProfile, 'double_check', 1],
])('%o: from %s it takes %i actions', (profile, tag, steps) => {
  expect(stepsToEnd(profile, [], tag)).toBe(steps);
});

describe('near the end of the budget', () => {
  const turns = [turn('plan'), turn('web_search')];

  test('everything that the grammar allows is allowed while there is room', () => {
    expect(nextActions({ profile: webProfile, question, turns, stepsLeft: 5 })).toEqual({
      kind: 'choose',
      allowed: ['web_search', 'crawl_page', 'reflection', 'suggested_answer'],
      mustFinish: false,
    });
  });

  test('only the way to the end is left when there is none', () => {
    expect(nextActions({ profile: webProfile, question, turns, stepsLeft: 2 })).toEqual({
      kind: 'choose',
      allowed: ['suggested_answer'],
      mustFinish: true,
    });
  });

  test('without a way to the end the steps are used up', () => {
    expect(nextActions({ profile: webProfile, question, turns, stepsLeft: 1 })).toEqual({
      kind: 'out_of_steps',
    });
  });
});

describe('the end', () => {
  test('a confirmed suggested answer is the final one', () => {
    const turns = [
      turn('plan'),
      turn('suggested_answer', 'first'),
      turn('double_check', scoreBody(2)),
      turn('plan'),
      turn('suggested_answer', 'second'),
      turn('double_check', scoreBody(3)),
    ];
    expect(nextActions({ profile: webProfile, question, turns, stepsLeft: 9 })).toEqual({
      kind: 'finished',
      answer: 'second',
    });
    expect(
      nextActions({ profile: webProfile, question, turns: turns.slice(0, 3), stepsLeft: 9 }),
    ).toMatchObject({
      allowed: ['plan', 'web_search', 'crawl_page'],
    });
  });

  test('an answer ends the other profiles', () => {
    const turns = [turn('plan'), turn('answer', '42')];
    expect(nextActions({ profile: mathProfile, question, turns, stepsLeft: 0 })).toEqual({
      kind: 'finished',
      answer: '42',
    });
  });
});
