import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { readFunnel } from '../../operations/report/funnel.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import { createProject } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
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

function withLines(path: string, change: (lines: string[]) => string[]): void {
  writeFileSync(path, change(readFileSync(path, 'utf8').split('\n')).join('\n'));
}

describe('a finished stage whose records were damaged since', () => {
  test.each<[what: string, change: (lines: string[]) => string[], message: RegExp]>([
    ['lacks a line', (lines) => lines.toSpliced(1, 1), /records\.jsonl.* 3 records.*4.*--from rollout/],
    ['begins with junk', (lines) => lines.with(0, `XX${lines[0]}`), /records\.jsonl:1: .*--from rollout/],
    [
      'holds broken JSON',
      (lines) => lines.with(2, `${lines[2]!.slice(0, -9)}}`),
      /records\.jsonl:3: .*--from rollout/,
    ],
  ])('is named where it %s, and nothing is made of the rest', async (_what, change, message) => {
    const { folder, records } = await finishedRun();
    withLines(records, change);
    await expect(runFake(folder, emitting())).rejects.toThrow(UserError);
    await expect(runFake(folder, emitting())).rejects.toThrow(message);
  });

  test('is as good as before with a torn line behind its last', async () => {
    const { folder, records } = await finishedRun();
    appendFileSync(records, '{"index":9,"cou');
    expect(await runFake(folder, emitting())).toBe('finished');
  });
});

test('a ledger, a manifest and a run file that are damaged are named, with what to do', async () => {
  const { folder } = await finishedRun();
  writeFileSync(join(folder, 'rollout/ledger.jsonl'), '{"index":0}\ngarbage\n{}\n');
  await expect(lengthOf(readLedger(folder, 'rollout'))).rejects.toThrow(/ledger\.jsonl:2: .*--from rollout/);
  writeFileSync(join(folder, 'run.json'), '{"format_version":1}');
  await expect(readRunFile(folder)).rejects.toThrow(/run\.json: .*name/);
  const project = createProject();
  await runCli(['run'], { cwd: project });
  const run = join(project, 'runs/coa');
  const whole = folderHashes(join(run, 'dataset'));
  writeFileSync(join(run, 'dataset/manifest.json'), 'garbage');
  await expect(readManifest(run)).rejects.toThrow(/manifest\.json: .*--from export/);
  rmSync(join(run, 'dataset'), { recursive: true });
  expect((await runCli(['status', 'coa'], { cwd: project })).stdout).toMatch(/^coa: in export/);
  expect((await runCli(['run'], { cwd: project })).code).toBe(0);
  expect(folderHashes(join(run, 'dataset'))).toEqual(whole);
  expect((await readFunnel(run)).at(-1)).toMatchObject({ stage: 'export', complete: true });
});

test('bits that flipped in traces stop the stage after them; made again, the dataset is the same', async () => {
  const project = createProject();
  const run = join(project, 'runs/coa');
  expect((await runCli(['run'], { cwd: project })).code).toBe(0);
  const dataset = folderHashes(join(run, 'dataset'));
  const records = join(run, 'rollout/records.jsonl');
  const bytes = readFileSync(records);
  for (let n = 0; n < 30; n++) bytes[Math.floor((bytes.length * (n + 1)) / 32)]! ^= 1 << (n % 7);
  writeFileSync(records, bytes);
  const stopped = await runCli(['run', '--from', 'convert'], { cwd: project });
  expect(stopped.code).toBe(2);
  expect(stopped.stderr).toMatch(/rollout\/records\.jsonl:1: damaged.*--from rollout/);
  expect(folderHashes(join(run, 'dataset'))).toEqual(dataset);
  writeFileSync(join(run, 'convert/stage.json'), '{');
  expect((await runCli(['run', '--from', 'rollout'], { cwd: project })).code).toBe(0);
  expect(folderHashes(join(run, 'dataset'))).toEqual(dataset);
});

async function lengthOf(items: AsyncIterable<unknown>): Promise<number> {
  let length = 0;
  for await (const _ of items) length++;
  return length;
}
