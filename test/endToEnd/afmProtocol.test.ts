import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BenchmarkResult } from '../../evaluation/records/evaluationFile.ts';
import type { TaskResult } from '../../evaluation/records/sampleResult.ts';
import { createProject, jsonLines, sampleTasks } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';

// Faults 9, 11, 12 and 13 of AFM's released evaluation, which no single part of it can have or avoid.

test('rounds are counted once and aggregated, pass@8 is unbiased, whole answers count, known questions are told', async () => {
  const tasks = sampleTasks.slice(0, 5).map((task, n) => ({ ...task, answer: `river ${n} | lake ${n}` }));
  const cwd = createProject({ tasks: jsonLines(tasks), planted: { wrong_answer: 0.85 }, rollouts: 8 });
  writeFileSync(join(cwd, 'learned.jsonl'), jsonLines(tasks.slice(0, 2)));
  writeFileSync(
    join(cwd, 'eval.yaml'),
    `teacher: { backend: scripted, script: script.jsonl }
tools: { wiki_search: { corpus: passages.jsonl } }
evaluation:
  training_data: [learned.jsonl]
  benchmarks: [{ name: rivers, file: tasks.jsonl, profile: mhqa, samples: 8 }]
`,
  );
  const read = (file: string) => readFileSync(join(cwd, 'runs/eval', file), 'utf8');
  const play = () => runCli(['evaluate', 'eval.yaml'], { cwd });
  const played = await play();
  expect(played.code, played.stderr).toBe(0);
  const [before, lines] = [read('evaluation.json'), read('results/rivers.jsonl')];
  await play();
  expect([read('evaluation.json'), read('results/rivers.jsonl')]).toEqual([before, lines]);

  const results = lines
    .trim()
    .split('\n')
    .map((line): TaskResult => JSON.parse(line));
  expect(results.flatMap(({ samples }) => samples)).toHaveLength(40);
  const rightOf = ({ samples }: TaskResult) => samples.filter(({ result }) => result === 'right').length;
  const [rivers]: BenchmarkResult[] = JSON.parse(before).benchmarks;
  const { score, pass_at } = rivers!.all;
  // Drawn with replacement, one right sample of eight would count as 0.656.
  expect(results.some((task) => rightOf(task) > 0 && rightOf(task) < 8)).toBe(true);
  expect(pass_at['8']!.value).toBeCloseTo(results.filter((task) => rightOf(task) > 0).length / 5, 12);
  expect(score!.value).toBeCloseTo(results.reduce((sum, task) => sum + rightOf(task), 0) / 40, 12);

  for (const { samples, answers } of results)
    for (const { result, answer } of samples) expect(result === 'right').toBe(answer === answers[0]);
  expect(rivers!.contamination).toMatchObject({ seen: { tasks: 2 }, unseen: { tasks: 3 } });
});
