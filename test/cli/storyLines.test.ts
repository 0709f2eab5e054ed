import { expect, test } from 'vitest';
import { storyLines } from '../../cli/whyFromCommandLine.ts';
import type { StoryStep } from '../../operations/taskStory.ts';

test('what a task file, a model or a tool wrote can not write to the terminal', () => {
  const hostile = 'a\u001b[2J\u009b31m\u0007\r\u202eb';
  const drop = { kind: 'drop', index: 0, record_id: hostile, task_id: hostile } as const;
  const steps: StoryStep[] = [
    {
      stage: 'tasks',
      kind: 'emitted',
      input_id: 'x',
      records: [
        {
          id: 'task_1',
          given_id: hostile,
          question: hostile,
          answers: [hostile],
          profile: 'mhqa',
          domain: 'qa',
          source: { file: hostile, row: 1 },
        },
      ],
    },
    { stage: 'filter', kind: 'dropped', entry: { ...drop, reason: 'wrong_answer', evidence: { hostile } } },
  ];
  const lines = storyLines('coa', hostile, steps);
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines.join('\n')).toContain('\\u{1b}[2J');
});
