import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';

test('what was exported by name is still there when the dataset is made again', async () => {
  const cwd = createProject();
  expect((await runCli(['run'], { cwd })).code).toBe(0);
  for (const to of ['atif', 'openai', 'axolotl'])
    expect(await runCli(['export', 'coa', '--to', to], { cwd })).toMatchObject({ code: 0 });
  const exported = ['interchange/filter/atif', 'interchange/filter/openai.jsonl', 'dataset/axolotl'];
  const missing = () => exported.filter((path) => !existsSync(join(cwd, 'runs/coa', path)));
  expect(missing()).toEqual([]);
  for (const from of ['export', 'filter', 'rollout']) {
    expect((await runCli(['run', '--from', from], { cwd })).code).toBe(0);
    expect(missing()).toEqual([]);
  }
});
