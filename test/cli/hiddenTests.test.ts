// Needs bubblewrap, python3.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Quality } from '../../schemas/trajectory.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { writeAnswerKey } from '../support/answerKey/answerKeyOf.ts';
import { jsonLines } from './support/project.ts';
import { type CliResult, runCli } from './support/runCli.ts';

const testsOf = (n: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    input: `${at} ${'x'.repeat(300)}\n`,
    output: `${at * n}\n`,
  }));

const tasks = Array.from({ length: 4 }, (_, n) => ({
  question_id: `q${n}`,
  question: `Multiply the first number of the line by ${n}.`,
  tests: testsOf(n, 1),
}));

const folder = sharedFolder();
let planned: CliResult;
let ran: CliResult;

beforeAll(async () => {
  const hidden = tasks.map(({ question_id }, n) => ({ question_id, public_test_cases: testsOf(n, 12) }));
  writeFileSync(join(folder, 'tasks.jsonl'), jsonLines(tasks));
  writeFileSync(join(folder, 'hidden.jsonl'), jsonLines(hidden));
  writeFileSync(
    join(folder, 'coa.yaml'),
    `tasks:
  sources: [{ file: tasks.jsonl, profile: code, tests_from: hidden.jsonl }]
filters: { min_interactions: 0 }
teacher: { backend: scripted, script: script.jsonl }
tools: { code: {} }
`,
  );
  await writeAnswerKey(join(folder, 'coa.yaml'));
  planned = await runCli(['run', 'coa.yaml', '--name', 'r', '--dry-run'], { cwd: folder });
  ran = await runCli(['run', 'coa.yaml', '--name', 'r', '--json'], { cwd: folder });
});

test('a plan reads the hidden tests and writes nothing', () => {
  expect(planned.code, planned.stderr).toBe(0);
  expect(planned.stdout).toMatch(/tasks\.jsonl\s+code\s+4/);
});

test('programs are judged by hidden tests, which no record holds', () => {
  expect(ran.code, ran.stderr).toBe(0);
  const verdicts = readFileSync(join(folder, 'runs/r/judge/records.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { records: { quality: Quality }[] })
    .map(({ records }) => records[0]?.quality.verdicts[0]?.evidence.tests);
  expect(verdicts).toEqual([12, 12, 12, 12]);
  expect(statSync(join(folder, 'runs/r/tasks/records.jsonl')).size).toBeLessThan(5000);
});

test('plan, report and dataset card say how many tasks were judged by how few tests', () => {
  const said = '4 of 4 programming tasks are judged by fewer than 50 tests (4 by 12)';
  expect(planned.stdout).toContain(`FEW TESTS: ${said}`);
  expect(readFileSync(join(folder, 'runs/r/dataset/README.md'), 'utf8')).toContain(`**Few tests.** ${said}`);
  expect(readFileSync(join(folder, 'runs/r/report.html'), 'utf8')).toContain(said);
  expect(JSON.parse(ran.stdout)).toMatchObject({ manifest: { tasks_by_tests: { 12: 4 } } });
});

test('other tests for the same tasks make the run stale', async () => {
  const hidden = tasks.map(({ question_id }, n) => ({ question_id, public_test_cases: testsOf(n, 13) }));
  writeFileSync(join(folder, 'hidden.jsonl'), jsonLines(hidden));
  const plan = await runCli(['run', 'coa.yaml', '--name', 'r', '--dry-run'], { cwd: folder });
  expect(plan.stdout).toMatch(/tasks .*tasks\.sources\.0\.tests_from/);
});

test('a variant has the tests too', async () => {
  const variant = await runCli(['refilter', 'r', '--set', 'filters.min_tests=13', '--name', 'v'], {
    cwd: folder,
  });
  expect(variant.stderr + variant.stdout).toContain('too_few_tests 4');
  expect(existsSync(join(folder, 'runs/v/tasks/tests'))).toBe(true);
});
