import { expect, test } from 'vitest';
import { TEAM_TITLE } from '../../../teachers/multiAgent/conversation.ts';
import { playStep } from '../../../teachers/scripted/playStep.ts';
import type { RequestView } from '../../../teachers/scripted/requestView.ts';

const entry = {
  ...{ question: 'Who?', profile: 'mhqa', flaw: null },
  steps: [
    { action: 'plan' as const, think: 'First.', plan: '1. Look.' },
    { action: 'tool' as const, think: 'Look.', tool: 'wiki_search', input: { query: 'who' } },
    { action: 'answer' as const, think: 'Known.', answer: 'Ada' },
  ],
};
const view = (more: Partial<RequestView>): RequestView => ({
  ...{
    role: 'answerer',
    offered: [],
    question: 'Who?',
    hinted: false,
    taken: 1,
    observations: [],
    written: [],
  },
  ...more,
});

test.each([
  ['by a call of its own', view({}), { think: 'Known.', answer: 'Ada' }],
  [
    'by a merged turn',
    view({ role: TEAM_TITLE, offered: ['answer'] }),
    { think: 'Known.', next: { action: 'answer', answer: 'Ada' } },
  ],
])('a team that has no step left for anything else is answered %s', (_, asked, answer) => {
  expect(playStep(entry, asked, false)).toEqual({ kind: 'json', answer });
});

test('another role than the script’s next one is not played', () => {
  expect(playStep(entry, view({ role: 'reflector' }), false).kind).toBe('off_script');
});
