import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStageFile, writeStageFile } from '../../pipeline/run/stageFiles.ts';
import { createProject, jsonLines, sampleTasks, scriptedTeacher } from '../cli/support/project.ts';
import { runCli, runRefused, runWell } from '../cli/support/runCli.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';

test('hard tasks get more rollouts, and what is printed and written tells tasks and rollouts apart', async () => {
  const cwd = createProject({
    tasks: jsonLines(sampleTasks.slice(0, 6)),
    planted: { wrong_answer: 0.5 },
    rollouts: 3,
    teacher: `{ ${scriptedTeacher}, rollouts: { max: 3, until: first_correct } }`,
    more: 'dataset: { formats: [afm] }\n',
  });
  await runRefused(['run', '--until', 'convert'], { cwd }, /name judge or a later stage/);
  // Before anything is worked on.
  expect(existsSync(join(cwd, 'runs'))).toBe(false);

  await runWell(['run'], { cwd });
  const read = (path: string) => readJsonLines(join(cwd, 'runs/coa', path));
  const judged = read('judge/records.jsonl').map(({ task_id, index, records }) => {
    const [{ rollout = 0, quality }] = records as [
      { rollout?: number; quality: { verdicts: { judgement: string }[] } },
    ];
    return { task_id, rollout, index, isCorrect: quality.verdicts[0]?.judgement === 'correct' };
  });
  const byTask = Object.values(Object.groupBy(judged, ({ task_id }) => String(task_id))).map((all) =>
    all!.sort((a, b) => a.rollout - b.rollout),
  );
  expect(byTask).toHaveLength(6);
  expect(new Set(byTask.map(({ length }) => length)).size).toBeGreaterThan(1);
  for (const rolled of byTask) {
    expect(rolled.map(({ rollout }) => rollout)).toEqual(rolled.map((_, nth) => nth));
    // The last alone is correct, or none of all that there may be.
    const correct = rolled.flatMap(({ isCorrect, rollout }) => (isCorrect ? [rollout] : []));
    expect(correct).toEqual(rolled.length === 3 && !rolled[2]!.isCorrect ? [] : [rolled.length - 1]);
  }

  // A task that stopped once it was solved makes no rate too high.
  for (const { passed, samples, first_right } of read('dataset/tasks.pass_rates.jsonl'))
    expect(first_right).toBe(passed === 1 ? samples : undefined);
  const { pass_at } = JSON.parse(readFileSync(join(cwd, 'runs/coa/dataset/manifest.json'), 'utf8')).rollouts;
  const firsts = byTask.filter(([first]) => first!.isCorrect).length;
  expect(pass_at['1']).toMatchObject({ value: firsts / 6, tasks: 6 });

  const rows = read('dataset/trajectories.jsonl');
  const solved = byTask.filter((rolled) => rolled.some(({ isCorrect }) => isCorrect));
  expect(rows).toHaveLength(solved.length);
  expect(rows.some(({ rollout }) => rollout === 1)).toBe(true);
  const text = (path: string) => readFileSync(join(cwd, 'runs/coa/dataset', path), 'utf8');
  expect(JSON.parse(text('manifest.json'))).toMatchObject({ rows: rows.length, tasks: solved.length });
  expect(text('README.md')).toMatch(/- name: rollout\n\s+dtype: int64/);
  const { stdout } = await runCli(['status', 'coa'], { cwd });
  expect(stdout).toContain(`${judged.length} rollouts of 6 tasks`);
  const forecast = await runCli(['forecast', '--from-run', 'coa', '--json'], { cwd });
  const { left, seen, tokens, kept } = JSON.parse(forecast.stdout);
  expect({ left, seen, kept: kept.expected }).toEqual({ left: 6, seen: 6, kept: rows.length });
  const used = read('rollout/records.jsonl').map(
    ({ records }) => (records as [{ totals: Record<string, number> }])[0].totals,
  );
  const taken = used.reduce((sum, of) => sum + of.prompt_tokens! + of.completion_tokens!, 0);
  expect(tokens.expected).toBeCloseTo(taken, 3);
  const again = rows.find(({ rollout }) => rollout === 1)!;
  expect((await runCli(['why', 'coa', String(again.id)], { cwd })).stdout).toMatch(
    /rollout {7}rollout 1: trace_/,
  );

  // While rollouts are pending nobody knows how many there will be.
  const runFolder = join(cwd, 'runs/coa');
  const file = (await readStageFile(runFolder, 'rollout'))!;
  await writeStageFile(runFolder, { ...file, complete: false });
  const soFar = JSON.parse((await runCli(['status', 'coa', '--json'], { cwd })).stdout).yield;
  expect(soFar).toMatchObject({ finished: judged.length, kept: rows.length, expected_kept: null });
});
