import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelConfigSchema } from '../../schemas/config/models.ts';
import { memberOf } from '../../schemas/config/resolved/mixture.ts';
import { createProject, jsonLines, sampleTasks, scriptedTeacher } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';

const mixture = [
  {
    name: 'cool',
    share: 2,
    model: modelConfigSchema.parse({ model: 'small', sampling: { temperature: 0.1, seed: 5 } }),
  },
  {
    name: 'warm',
    share: 1,
    model: modelConfigSchema.parse({ model: 'large', sampling: { temperature: 1, seed: 5 } }),
  },
];

test('each rollout is made by a member of the mixture, which rows, rates and cached answers tell apart', async () => {
  const cwd = createProject({
    tasks: jsonLines(sampleTasks.slice(0, 6)),
    planted: { wrong_answer: 0.3, malformed_json: 0.25 },
    rollouts: 3,
    teacher: `{ ${scriptedTeacher}, rollouts: 3, mixture: ${JSON.stringify(mixture)} }`,
    more: 'dataset: { formats: [afm] }\n',
  });
  const { code, stdout } = await runCli(['run'], { cwd });
  expect(code).toBe(0);
  const read = (path: string) => readJsonLines(join(cwd, 'runs/coa', path));
  type Traced = { task_id: string; rollout?: number; member: { name: string }; events: { model?: string }[] };
  for (const { records } of read('rollout/records.jsonl')) {
    const [{ task_id, rollout = 0, member, events }] = records as [Traced];
    const { name, model: asked } = memberOf(mixture, { task_id, rollout });
    const { model, sampling } = asked!;
    expect(member).toEqual({ name, model, sampling: { ...sampling, seed: 5 + rollout } });
    expect(new Set(events.flatMap(({ model }) => model ?? []))).toEqual(new Set([model]));
  }
  const rows = read('dataset/trajectories.jsonl') as { member: { name: string; sampling: string } }[];
  expect(JSON.parse(rows[0]!.member.sampling)).toHaveProperty('temperature');
  const manifest = JSON.parse(readFileSync(join(cwd, 'runs/coa/dataset/manifest.json'), 'utf8'));
  const made = (name: string) => rows.filter(({ member }) => member.name === name).length;
  expect(manifest.members).toEqual({ cool: made('cool'), warm: made('warm') });
  const { right, wrong, unscored, by_member } = manifest.rollouts;
  const sum = (key: string) =>
    by_member.reduce((total: number, of: Record<string, number>) => total + of[key]!, 0);
  expect([sum('right'), sum('wrong'), sum('unscored')]).toEqual([right, wrong, unscored]);
  expect(right + wrong + unscored).toBe(18);
  // Malformed answers are the model's own.
  expect(unscored).toBe(0);
  expect(stdout).toMatch(/^ *cool: pass@1 0\.\d\d .* right, .* wrong/m);
  expect(readFileSync(join(cwd, 'runs/coa/dataset/README.md'), 'utf8')).toMatch(/by the member `warm`/);
  expect(readFileSync(join(cwd, 'runs/coa/report.html'), 'utf8')).toContain('warm: pass@1');

  // From the cache alone, with other concurrency: the same bytes.
  const dataset = () => readFileSync(join(cwd, 'runs/coa/dataset/trajectories.jsonl'), 'utf8');
  const before = dataset();
  for (const stage of ['rollout', 'convert', 'judge', 'filter', 'export'])
    rmSync(join(cwd, 'runs/coa', stage), { recursive: true });
  await runWell(['run', '--offline', '--set', 'teacher.concurrency=1'], { cwd });
  expect(dataset()).toBe(before);
});
