import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { normaliseQuestion } from '../../schemas/question.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { taskFiles } from '../support/taskFiles.ts';

const tasksOf = async (name: string) => {
  const { path, preset, profile } = taskFiles.find((file) => basename(file.path) === name)!;
  return emittedTasks(await readTasks([{ path, preset, profile }]));
};

test.each(taskFiles)('$path as $preset: every row is a task of its own', async ({ path, profile, rows }) => {
  const tasks = await tasksOf(basename(path));
  expect(tasks).toHaveLength(rows);
  expect(new Set(tasks.map((task) => task.id)).size).toBe(rows);
  expect(new Set(tasks.map((task) => normaliseQuestion(task.question))).size).toBe(rows);
  expect(new Set(tasks.map((task) => task.profile))).toEqual(new Set([profile]));
  for (const { question } of tasks)
    expect(question).not.toMatch(/\r|Solve the given task step by step|Special tokens|'plan'/);
});

test('a contest of answers', async () => {
  const tasks = await tasksOf('aime24.parquet');
  expect(tasks[0]).toMatchObject({ given_id: 'aime24-0', answers: ['540'], domain: 'math' });
  expect(tasks[0]?.question).toMatch(/^A ferry crosses .* for the same way\.$/);
  expect(tasks[0]?.extra).not.toHaveProperty('prompt');
  // Line feeds inside of a question belong to it.
  expect(tasks[3]?.question).toContain('such that: \n\nno two');
});

test('mathematics with LaTeX answers', async () => {
  const [task] = await tasksOf('math500.parquet');
  expect(task).toMatchObject({
    given_id: 'MATH500-0',
    answers: ['\\left( 5, \\frac{\\pi}{2} \\right)'],
    source: { file: 'math500.parquet', row: 1, data_source: 'MATH500' },
  });
});

test('programs that read stdin', async () => {
  const tasks = (await tasksOf('livecodebench_v4.parquet')).filter((task) => task.tests?.kind === 'stdin');
  expect(tasks.map(({ given_id }) => given_id)).toEqual(
    ['own101_a', 'own101_b', 'own101_f'].map((id) => `skywork_livecodebench_v4-${id}`),
  );
  expect(tasks[1]).toMatchObject({
    answers: [],
    extra: { extra_info: { difficulty: 'easy', platform: 'atcoder' } },
    tests: { cases: [{ stdin: '10 4\n4 3 3 1\n', expected_output: '3 10\n' }, {}] },
  });
  for (const { question } of tasks) expect(question).toMatch(/writes output to STDOUT\.$/);
});

test('solutions that are called', async () => {
  const tasks = (await tasksOf('livecodebench_v4.parquet')).filter(
    (task) => task.tests?.kind === 'functional',
  );
  expect(tasks).toHaveLength(3);
  for (const { tests, question } of tasks) {
    if (tests?.kind !== 'functional') throw new Error('not functional');
    expect(tests.checks.join('\n')).toMatch(/^result = Solution\(\)\.\w+\(.*\)\nassert result == /s);
    expect(tests.starter_code).toContain(`def ${tests.func_name}(self`);
    expect(question).toContain('starter code');
    expect(question).not.toContain('Answer format');
  }
});

test('one to sixteen gold answers', async () => {
  const counts = (await tasksOf('nq.jsonl')).map((task) => task.answers.length);
  expect(Math.min(...counts)).toBe(1);
  expect(Math.max(...counts)).toBe(16);
});
