import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { plantedRows } from '../../support/answerKey/plantedRows.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { runCli, runWell } from './runCli.ts';

/** Makes a project of a bundled example, moves it, runs it and plans its training; each planted flaw ends as planted. */
export async function exampleRuns(name: string): Promise<void> {
  const cwd = temporaryFolder();
  const made = await runWell(['init', '--example', name, 'mine'], { cwd });
  const [, config = ''] = /Next: .* run (\S+)$/m.exec(made.stdout) ?? [];
  renameSync(join(cwd, 'mine'), join(cwd, 'moved'));
  const run = await runWell(['run', config.replace('mine', 'moved'), '--json'], { cwd });
  const { folder, manifest } = JSON.parse(run.stdout);
  const planted = await plantedRows(folder, join(cwd, 'moved/script.jsonl'));
  expect(planted.length).toBeGreaterThan(1);
  expect(manifest.rows).toBeGreaterThan(5);
  for (const row of planted) expect(row).toMatchObject({ as_expected: row.planted, false_finds: 0 });
  const plan = await runCli(['train', 'coa', '--dry-run'], { cwd: join(cwd, 'moved') });
  expect(plan.code, plan.stdout).toBe(0);
}
