import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealedFile, sealedLine } from '../../base/journal/sealed.ts';
import { readFunnel } from '../../operations/report/funnel.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import { createProject } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { fakePipeline } from './support/fakeStages.ts';
import { runFake } from './support/runFake.ts';

const emitting = () =>
  fakePipeline(
    Array.from({ length: 4 }, () => ({ fate: 'emit' as const, turns: 0 })),
    1,
  );

/** A finished fake run whose last stage is pending, and the journal that the last stage reads. */
async function finishedRun(): Promise<{ folder: string; records: string }> {
  const folder = temporaryFolder();
  await runFake(folder, emitting());
  rmSync(join(folder, 'export'), { recursive: true });
  return { folder, records: join(folder, 'rollout/records.jsonl') };
}

test('a ledger, a manifest and a run file that are damaged are named, with what to do', async () => {
  const { folder } = await finishedRun();
  writeFileSync(join(folder, 'rollout/ledger.jsonl'), `${sealedLine({ index: 0 })}\ngarbage\n{}\n`);
  await expect(lengthOf(readLedger(folder, 'rollout'))).rejects.toThrow(/ledger\.jsonl:2: .*--from rollout/);
  writeFileSync(join(folder, 'run.json'), sealedFile({ format_version: 1 }));
  await expect(readRunFile(folder)).rejects.toThrow(/run\.json: .*name/);
  const project = createProject();
  await runCli(['run'], { cwd: project });
  const run = join(project, 'runs/coa');
  const whole = folderHashes(join(run, 'dataset'));
  writeFileSync(join(run, 'dataset/manifest.json'), 'garbage');
  await expect(readManifest(run)).rejects.toThrow(/manifest\.json: .*--from export/);
  rmSync(join(run, 'dataset'), { recursive: true });
  expect((await runCli(['status', 'coa'], { cwd: project })).stdout).toMatch(/^coa: in export/);
  await runWell(['run'], { cwd: project });
  expect(folderHashes(join(run, 'dataset'))).toEqual(whole);
  expect((await readFunnel(run)).at(-1)).toMatchObject({ stage: 'export', complete: true });
});

async function lengthOf(items: AsyncIterable<unknown>): Promise<number> {
  let length = 0;
  for await (const _ of items) length++;
  return length;
}
