import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createExportRun } from '../../bench/support/exportRun.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { runCli } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { bytesIn, killExport } from './support/killExport.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const shared = sharedFolder();

/** How much of the dataset is on the disk when the export is killed, in percent. */
const anywhere = fc.sample(fc.noBias(fc.integer({ min: 1, max: 90 })), 2);
const moments = [0, ...anywhere, 99.9];

test(`exports killed with -9 at ${moments.join(', ')} % go on to the same bytes`, async () => {
  const [whole, cut] = [join(shared, 'whole'), join(shared, 'cut')];
  mkdirSync(whole);
  const config = 'dataset: { shard_mb: 0.3, validation_share: 0.2 }\n';
  await createExportRun({ folder: whole, rows: 1_500, config });
  cpSync(whole, cut, { recursive: true });

  expect((await runCli(['run'], { cwd: whole })).code).toBe(0);
  const bytes = bytesIn(join(whole, 'runs/coa/dataset'));
  for (const percent of moments) {
    await killExport(cut, ['run'], (percent / 100) * bytes);
    expectWholeOrAbsent(cut);
  }
  expect((await runCli(['run'], { cwd: cut })).code).toBe(0);

  const dataset = folderHashes(join(whole, 'runs/coa/dataset'));
  expect(Object.keys(dataset).filter((name) => name.endsWith('.arrow')).length).toBeGreaterThan(3);
  expect(folderHashes(join(cut, 'runs/coa/dataset'))).toEqual(dataset);
  expect(existsSync(join(cut, 'runs/coa/dataset.partial'))).toBe(false);
  const samples = (cwd: string) => readFileSync(join(cwd, 'runs/coa/export/records.jsonl'), 'utf8');
  expect(samples(cut)).toBe(samples(whole));
});

/** What stands under the dataset's name is complete; the last moment may come so late that it does. */
function expectWholeOrAbsent(cwd: string): void {
  const dataset = join(cwd, 'runs/coa/dataset');
  if (!existsSync(dataset)) return;
  const { files } = JSON.parse(readFileSync(join(dataset, 'manifest.json'), 'utf8')) as Manifest;
  const hashes = folderHashes(dataset);
  for (const { path, sha256 } of files) expect(hashes[path]).toBe(sha256);
}
