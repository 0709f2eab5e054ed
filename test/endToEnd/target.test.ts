import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { writeAnswerKey } from '../support/answerKey/answerKeyOf.ts';
import { carried } from '../viewer/support/renderedPage.ts';

const tasks = riverTasks(24);

test('a target is said in the plan, the summary, the status and the forecast, and is met to the row', async () => {
  const more =
    'target: { rows: 6 }\nfilters: { grounding: { drop: false }, error_correction: { repeats: 3 } }\n';
  const cwd = createProject({
    tasks: jsonLines(tasks),
    planted: { wrong_answer: 0.4, corrected_double_check: 0.2 },
    more: `${more}dataset: { formats: [afm] }\n`,
  });
  const plan = await runCli(['run', '--dry-run'], { cwd });
  expect(plan.stdout).toMatch(/^target: 6 rows, of which the first window takes 6 tasks$/m);
  const ran = await runWell(['run'], { cwd });
  const line = /^target: 6 of 6 rows, from (\d+) of 24 tasks in (\d) windows$/m;
  const [, worked] = line.exec(ran.stdout)!.map(Number);
  expect(worked).toBeLessThan(24);
  expect(ran.stderr).toMatch(
    /^target {3}\d of 6 rows, from 6 of 24 tasks in 1 window; the next window takes/m,
  );
  expect(ran.stderr).not.toContain('commonest cause');
  const read = (path: string) => readFileSync(join(cwd, 'runs/coa', path), 'utf8');
  expect(JSON.parse(read('dataset/manifest.json')).rows).toBe(6);
  expect(JSON.parse(read('dataset/afm/coa.json'))).toHaveLength(6);
  expect(carried(read('report.html')).answers).toMatchObject({
    '/api/sources/coa/report': { target: { wanted: { '*': 6 }, unit: 'rows' } },
  });
  expect(readJsonLines(join(cwd, 'runs/coa/rollout/records.jsonl'))).toHaveLength(worked!);
  const { target } = JSON.parse((await runCli(['status', 'coa', '--json'], { cwd })).stdout);
  expect(target).toMatchObject({ unit: 'rows', wanted: { '*': 6 }, available: { '*': 24 } });

  // Another target beside the run cuts its rows, and rolls out nothing.
  await runWell(['refilter', 'coa', '--set', 'target.rows=4'], { cwd });
  const cut = JSON.parse(readFileSync(join(cwd, 'runs/coa-2/dataset/afm/coa.json'), 'utf8'));
  expect(cut).toEqual(JSON.parse(read('dataset/afm/coa.json')).slice(0, 4));

  // Tokens are forecast at the length of the rows that there are.
  const { tokens } = JSON.parse(read('dataset/manifest.json'));
  createProject({
    ...{ folder: cwd, tasks: jsonLines(tasks), planted: { wrong_answer: 0.4, corrected_double_check: 0.2 } },
    more: `target: { tokens: ${Math.round(tokens / 2)} }\n`,
  });
  const forecast = JSON.parse((await runCli(['forecast', '--from-run', 'coa', '--json'], { cwd })).stdout);
  // Half of what `worked` tasks gave, of the yield before the rows that are too many are cut off.
  expect(forecast.left).toBeGreaterThan(0);
  expect(forecast.left).toBeLessThanOrEqual(Math.ceil(worked! / 2) + 1);
});

test('where tasks run out, the run says what is missing and why, and ends well', async () => {
  const config = { tasks: jsonLines(tasks.slice(0, 6)), more: 'target: { rows: { mhqa: 7 } }\n' };
  const cwd = createProject({ ...config, planted: { wrong_answer: 0.5 } });
  const { code, stderr } = await runCli(['run'], { cwd });
  expect(stderr).toMatch(
    /the target is missed \(mhqa (\d) of 7 rows, .*; mhqa \d rows are missing: no task is left\): the commonest cause is wrong_answer/,
  );
  expect(code).toBe(0);
  // What the rows of another profile were dropped for is no reason.
  const others = tasks
    .slice(0, 4)
    .map((task, n) => ({ ...task, question: `Which hills rise near town ${n}?` }));
  writeFileSync(join(cwd, 'others.jsonl'), jsonLines(others));
  createProject({
    ...{ folder: cwd, tasks: jsonLines(tasks) },
    profile: 'mhqa\n    - file: others.jsonl\n      profile: mhqa_double_check',
    more: 'target: { rows: { mhqa: 9, mhqa_double_check: 7 } }\nfilters: { grounding: { drop: false }, min_interactions: { mhqa_double_check: 99 } }\n',
  });
  await writeAnswerKey(join(cwd, 'coa.yaml'), { planted: { wrong_answer: 0.4 } });
  const ran = await runCli(['run', '--name', 'two'], { cwd });
  expect(ran.stderr).toMatch(/mhqa_double_check 7 rows are missing.*is \w+ \(\d of 4 dropped at filter\)/);
  createProject({ ...config, folder: cwd, more: 'target: { rows: { web: 7 } }\n' });
  const refused = await runCli(['run'], { cwd });
  expect(refused.stderr).toMatch(/target.rows.web: no source of tasks has this profile/);
  expect(refused.code).toBe(2);
});
