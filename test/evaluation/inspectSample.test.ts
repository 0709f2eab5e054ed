import { expect, test } from 'vitest';
import { inspectSample } from '../../evaluation/writeInspectLog.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';

const segment = (tag: string, origin: Segment['origin'], text: string): Segment => ({
  tag,
  origin,
  text: `<${tag}>${text}</${tag}>`,
  event: 'e',
});

test('a forced answer is the last message, not what the tool before it showed', () => {
  const segments = [
    segment('wiki_search', 'model', 'a'),
    segment('observation', 'environment', 'shown'),
    segment('wiki_search', 'model', 'b'),
    segment('answer', 'environment', 'Bo Ferrin'),
  ];
  const task = { task_id: 't', question: 'Who?', answers: ['Bo'], samples: [] };
  const sample = {
    task_id: 't',
    sample: 0,
    result: 'wrong' as const,
    reason: null,
    score: 0,
    answer: 'Bo Ferrin',
    use: null,
    double_check: null,
    reflections: null,
    repeated_tool_inputs: null,
  };
  const trajectory = { system: '', user: 'Who?', segments } as unknown as Trajectory;
  const messages = inspectSample(task, sample, trajectory, 'm').messages as {
    role: string;
    content: string;
  }[];
  expect(messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Who?'],
    ['assistant', ''],
    ['tool', 'shown'],
    ['assistant', '<wiki_search>b</wiki_search><answer>Bo Ferrin</answer>'],
  ]);
});
