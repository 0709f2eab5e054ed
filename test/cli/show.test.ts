import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { createProject, jsonLines, riverTasks } from './support/project.ts';
import { runCli, runRefused, runWell } from './support/runCli.ts';

const cwd = sharedFolder();
const trajectories = () =>
  readJsonLines(join(cwd, 'runs/coa/dataset/trajectories.jsonl')) as unknown as {
    readonly segments: readonly { readonly origin: string; readonly text: string }[];
  }[];
const cli = (args: readonly string[], env = {}) => runCli(args, { cwd, env });

beforeAll(async () => {
  createProject({ folder: cwd, planted: { wrong_answer: 0.3 } });
  const made = await cli(['run']);
  expect(made.code, made.stderr).toBe(0);
});

/** The lines that a trajectory's segments of one origin make. */
const linesOf = (row: number, origin: string) =>
  trajectories()
    [row]!.segments.filter((segment) => segment.origin === origin)
    .flatMap(({ text }) => text.replace(/\n$/, '').split('\n'));

test.each([0, 1])('row %i is shown whole, and each line says whether it is trained', async (row) => {
  const shown = await cli(['show', 'coa', `train:${row}`]);
  expect(shown.code, shown.stderr).toBe(0);
  const lines = shown.stdout.split('\n').slice(5);
  const trained = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(2));
  expect(trained).toEqual(linesOf(row, 'model').map((line) => line.trimEnd()));
  const read = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(2));
  for (const line of linesOf(row, 'environment')) expect(read).toContain(line.trimEnd());
});

test('colours say the same as the marks, and NO_COLOR takes them away', async () => {
  const plain = await cli(['show', 'coa']);
  const bright = await cli(['show', 'coa'], { NO_COLOR: '', FORCE_COLOR: '1' });
  expect(plain.stdout).not.toContain('\u001b');
  expect(stripVTControlCharacters(bright.stdout)).toBe(plain.stdout);
  const green = bright.stdout.split('\n').filter((line) => line.startsWith('\u001b[32m'));
  expect(green.length).toBe(plain.stdout.split('\n').filter((line) => line.startsWith('+')).length);
});

test('a dropped task is shown by its own id with the reason, and an unknown one is a mistake', async () => {
  const [dropped] = readJsonLines(join(cwd, 'runs/coa/filter/ledger.jsonl'));
  const shown = await cli(['show', 'coa', String(dropped!.task_id)]);
  expect(shown.stdout).toContain('dropped by filter: wrong_answer');
  expect(shown.stdout).toContain('<answer>');
  expect(await cli(['show', 'coa', 'train:99'])).toMatchObject({ code: 2 });
});

test('a preview prints its rows, and the command that it names pays for no call of them again', async () => {
  const folder = createProject({ tasks: jsonLines(riverTasks(6)) });
  const preview = await runWell(['run', '--preview', '2'], { cwd: folder });
  expect(preview.stdout.match(/row train:/g)).toHaveLength(2);
  const [, next = ''] = /again: coa-distill (.*)$/m.exec(preview.stdout) ?? [];
  const again = await runCli(['run', '--preview', '2'], { cwd: folder });
  expect(again.stdout).toBe(preview.stdout);
  await runWell(next.split(' '), { cwd: folder });
  expect(readFileSync(join(folder, 'runs/coa/tasks/records.jsonl'), 'utf8').trim().split('\n')).toHaveLength(
    6,
  );
  await runRefused(['run', '--preview', '2'], { cwd: folder }, 'coa-distill show coa');
});

test('what tasks and models wrote can not write to the terminal', async () => {
  const folder = createProject({
    tasks: jsonLines([{ id: 'a\u001b[2J', question: 'q\u009b31m?', answer: 'x\u202ey' }]),
    more: 'filters: { grounding: { drop: false } }\n',
  });
  writeFileSync(join(folder, '.env'), '');
  await runWell(['run'], { cwd: folder });
  const { stdout } = await runCli(['show', 'coa'], { cwd: folder });
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});
