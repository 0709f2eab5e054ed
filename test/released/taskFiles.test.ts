import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { normaliseQuestion } from '../../schemas/question.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { releasedFiles } from '../support/releasedData.ts';

const tasksOf = async (name: string) => {
  const { path, preset, profile } = releasedFiles.find((file) => basename(file.path) === name)!;
  return emittedTasks(await readTasks([{ path, preset, profile }]));
};

test.each(releasedFiles)('$path: every row is a task, no two the same', async ({ path, profile, rows }) => {
  const tasks = await tasksOf(basename(path));
  expect(tasks).toHaveLength(rows);
  expect(new Set(tasks.map((task) => task.id)).size).toBe(rows);
  expect(new Set(tasks.map((task) => normaliseQuestion(task.question))).size).toBe(rows);
  expect(new Set(tasks.map((task) => task.profile))).toEqual(new Set([profile]));
  for (const { question } of tasks)
    expect(question).not.toMatch(/\r|Solve the given task step by step|special tokens/);
});

test('AIME', async () => {
  const [task] = await tasksOf('aime24.parquet');
  expect(task).toMatchObject({ given_id: 'aime24-0', answers: ['204'], domain: 'math' });
  expect(task?.question).toMatch(/^Every morning Aya goes for a .* in the coffee shop\.$/);
  expect(task?.extra).not.toHaveProperty('prompt');
});

test('MATH-500', async () => {
  const [task] = await tasksOf('math500.parquet');
  expect(task).toMatchObject({
    given_id: 'MATH500-0',
    answers: ['\\left( 3, \\frac{\\pi}{2} \\right)'],
    source: { file: 'math500.parquet', row: 1, data_source: 'MATH500' },
  });
  expect(task?.question).toMatch(/^Convert the point \$\(0,3\)\$ .* < 2 \\pi\.\$$/);
});

describe('LiveCodeBench', () => {
  test('programs that read stdin', async () => {
    const tasks = (await tasksOf('livecodebench_v4.parquet')).filter((task) => task.tests?.kind === 'stdin');
    expect(tasks).toHaveLength(65);
    expect(tasks[0]).toMatchObject({
      given_id: 'skywork_livecodebench_v4-abc366_f',
      answers: [],
      extra: { extra_info: { difficulty: 'hard', platform: 'atcoder' } },
    });
    expect(tasks[0]?.tests).toMatchObject({
      cases: [{ stdin: '3 2\n2 3\n1 5\n4 2\n', expected_output: '26\n' }, {}],
    });
    for (const { question } of tasks) expect(question).toMatch(/writes output to STDOUT\.$/);
  });

  test('solutions that are called', async () => {
    const tasks = (await tasksOf('livecodebench_v4.parquet')).filter(
      (task) => task.tests?.kind === 'functional',
    );
    expect(tasks).toHaveLength(35);
    for (const { tests, question } of tasks) {
      if (tests?.kind !== 'functional') throw new Error('not functional');
      expect(tests.checks.join('\n')).toMatch(/^result = Solution\(\)\.\w+\(.*\)\nassert result == /s);
      expect(tests.starter_code).toContain(`def ${tests.func_name}(self`);
      expect(question).toContain('starter code');
      expect(question).not.toContain('Answer format');
    }
  });
});

test('NQ: one to sixteen gold answers', async () => {
  const counts = (await tasksOf('nq_500.jsonl')).map((task) => task.answers.length);
  expect(Math.min(...counts)).toBe(1);
  expect(Math.max(...counts)).toBe(16);
});
