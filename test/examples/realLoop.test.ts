import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { closedLoopFiles } from '../../examples/closed-loop/world.ts';
import { problems, scriptOf } from '../../examples/real-loop/problems.ts';
import { scriptEntrySchema } from '../../schemas/teacherScript.ts';

const rowsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('what computes a problem in Python gives its answer, and no question comes twice', () => {
  const made = problems('any', 200);
  const program = made.map(({ expression }) => `print(${expression})`).join('\n');
  const printed = execFileSync('python3', ['-c', program], { encoding: 'utf8' }).trim().split('\n');
  expect(printed).toEqual(made.map(({ answer }) => String(answer)));
  expect(new Set(made.map(({ question }) => question)).size).toBe(200);
  for (const problem of made) scriptEntrySchema.parse(scriptOf(problem));
});

test('a question of two looks names one person, and its answer stands in the passage of another', () => {
  const size = { people: 60, trainingTasks: 30, heldOutTasks: 30, hops: 2 } as const;
  const world = closedLoopFiles('any', size);
  const passages: string[] = rowsOf(world.get('passages.jsonl')!).map(({ contents }) => contents);
  for (const file of ['training.jsonl', 'held-out.jsonl'])
    for (const { question, answer } of rowsOf(world.get(file)!)) {
      const name = /(?<=the teacher of )(?!the )\S+ [^\s?]+(?=[ ?])/.exec(question)![0];
      const own = passages.find((passage) => passage.startsWith(`"${name}"`))!;
      const teacher = /(?:taught by|pupil of) (\S+ [^\s.,]+)/i.exec(own)![1];
      expect(passages.find((passage) => passage.startsWith(`"${teacher}"`))).toContain(answer);
    }
});
