import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, jsonLines, sampleTasks, scriptedTeacher } from '../cli/support/project.ts';
import { runCli, runRefused } from '../cli/support/runCli.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { renderedPage } from '../viewer/support/renderedPage.ts';

const project = (teacher: string) =>
  createProject({
    tasks: jsonLines(sampleTasks.slice(0, 6)),
    planted: { wrong_answer: 0.5 },
    rollouts: 2,
    teacher: `{ ${scriptedTeacher}, ${teacher} }`,
    more: 'dataset: { formats: [afm] }\n',
  });

test('a wrong rollout is followed by a second try, which is recorded as such and counts in no pass rate', async () => {
  const cwd = project('rollouts: 2, on_wrong: hint');
  await runRefused(['run', '--until', 'convert'], { cwd }, /teacher\.on_wrong .*name judge/);
  const { code, stdout } = await runCli(['run'], { cwd });
  expect(code).toBe(0);

  const read = (path: string) => readJsonLines(join(cwd, 'runs/coa', path));
  type Judged = { rollout?: number; repairs?: number; quality: { verdicts: { judgement: string }[] } };
  const judged = read('judge/records.jsonl').map(({ task_id, records }) => {
    const [{ rollout = 0, repairs, quality }] = records as [Judged];
    return { task_id, rollout, repairs, isRight: quality.verdicts[0]?.judgement === 'correct' };
  });
  const first = judged.filter(({ repairs }) => repairs === undefined);
  const second = judged.filter(({ repairs }) => repairs !== undefined);
  const wrong = first.filter(({ isRight }) => !isRight);
  expect(first).toHaveLength(12);
  expect(wrong.length).toBeGreaterThan(2);
  const places = (of: typeof judged) => of.map(({ task_id, rollout }) => `${task_id}#${rollout}`).sort();
  expect(places(second.map((of) => ({ ...of, rollout: of.repairs! })))).toEqual(places(wrong));
  expect(second.every(({ rollout, repairs, isRight }) => rollout === 2 + repairs! && isRight)).toBe(true);

  // The row holds the first try's work, which led to the wrong answer, and then what put it right.
  const rows = read('dataset/trajectories.jsonl');
  expect(rows).toHaveLength(12);
  const repaired = rows.filter(({ repairs }) => repairs !== undefined);
  expect(repaired).toHaveLength(wrong.length);
  for (const { segments } of repaired) {
    const text = (segments as { text: string }[]).map((segment) => segment.text).join('');
    expect(text).toMatch(/was a mistake/);
    expect(text).not.toMatch(/a check of the answer/);
    expect(text.match(/<answer>/g)).toHaveLength(1);
  }
  const rates = read('dataset/tasks.pass_rates.jsonl');
  const sum = (of: (line: Record<string, unknown>) => unknown) =>
    rates.reduce((total, line) => total + Number(of(line) ?? 0), 0);
  const triedAgain = (key: string) =>
    sum(({ second_tries }) => (second_tries as Record<string, number>)?.[key]);
  expect([sum(({ samples }) => samples), sum(({ passed }) => passed)]).toEqual([12, 12 - wrong.length]);
  expect([triedAgain('samples'), triedAgain('passed')]).toEqual([wrong.length, wrong.length]);
  const manifest = JSON.parse(readFileSync(join(cwd, 'runs/coa/dataset/manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ second_tries: wrong.length, rollouts: { right: 12 - wrong.length } });
  expect(stdout).toContain(`of ${wrong.length} second tries, which are in no rate, ${wrong.length} right`);
  const card = readFileSync(join(cwd, 'runs/coa/dataset/README.md'), 'utf8');
  expect(card).toMatch(/- name: repairs\n\s+dtype: int64/);
  expect(card).toContain(`${wrong.length} of the rows are second tries`);

  // Tasks and rollouts are counted apart, also where two runs are compared and on the report page.
  const compared = await runCli(['compare', 'coa', 'coa'], { cwd });
  expect(compared.stdout).toContain('0 records enter, 0 leave, 12 are kept in both');
  expect(compared.stdout).toContain('these are rollouts; of tasks, 0 enter, 0 leave, 6 are kept in both');
  const report = await renderedPage(readFileSync(join(cwd, 'runs/coa/report.html'), 'utf8'));
  const counted = report.texts('.stage-name').map((text) => text.replaceAll(/\s+/g, ' '));
  expect(counted).toContainEqual(expect.stringMatching(/^tasks 6 tasks in/));
  expect(counted).toContainEqual(expect.stringMatching(`^judge ${12 + wrong.length} rollouts in`));
});

test('giving the answer away is refused with the reason, and so are hints to a model that plays alone', async () => {
  const refusal = async (teacher: string) =>
    (await runCli(['run', '--dry-run'], { cwd: createProject({ teacher }) })).stderr;
  expect(await refusal(`{ ${scriptedTeacher}, on_wrong: rationalise }`)).toMatch(
    /teacher\.on_wrong: expected hint, .*; rationalise is refused: .* into its reasoning/,
  );
  const alone = await refusal(
    '{ backend: coa_model, player: { server: vllm }, on_wrong: hint, model: { model: m, endpoint: { base_url: "http://localhost:1/v1", api_key_env: "" } } }',
  );
  expect(alone).toMatch(/teacher\.on_wrong: hint is refused with backend coa_model/);
});
