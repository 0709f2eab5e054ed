import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../../base/ids.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { fullReport } from '../../viewer/support/reportSample.ts';
import { samplePlan } from './sampleJob.ts';

/** A dataset of one file, and the plan of a job on it. */
export function datasetFolder() {
  const folder = temporaryFolder();
  const [file] = fullReport.manifest!.files;
  const rows = join(folder, 'rows.parquet');
  writeFileSync(rows, 'rows');
  const files = [{ ...file!, path: 'rows.parquet', sha256: sha256Hex('rows') }];
  const manifest = join(folder, 'manifest.json');
  writeFileSync(manifest, JSON.stringify({ ...fullReport.manifest, files }));
  const manifest_sha256 = sha256Hex(readFileSync(manifest));
  const plan = samplePlan({ dataset: { ...samplePlan().dataset, folder, manifest_sha256 } });
  return { plan, rows, manifest };
}
