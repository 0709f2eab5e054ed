import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject } from '../cli/support/project.ts';
import { runWell } from '../cli/support/runCli.ts';

test('what was exported by name is still there when the dataset is made again', async () => {
  const cwd = createProject();
  await runWell(['run'], { cwd });
  for (const to of ['atif', 'openai', 'axolotl']) await runWell(['export', 'coa', '--to', to], { cwd });
  const exported = ['interchange/filter/atif', 'interchange/filter/openai.jsonl', 'dataset/axolotl'];
  const missing = () => exported.filter((path) => !existsSync(join(cwd, 'runs/coa', path)));
  expect(missing()).toEqual([]);
  for (const from of ['export', 'filter', 'rollout']) {
    await runWell(['run', '--from', from], { cwd });
    expect(missing()).toEqual([]);
  }
});
