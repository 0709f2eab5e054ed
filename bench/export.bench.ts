/**
 * How fast kept trajectories become a dataset in all default formats, through the command line: rows and megabytes of
 * trajectories a second, and the most memory, which may not grow with the rows. Linux only: figures are those of /proc.
 *
 * Before that the export stage alone, with one thread and with two: 10, 30 and 90 MB (EXPORT_BENCH_MB) of code, English
 * and invented words, since a thread's start is paid once. Goal: two threads 1.7 times as fast as one on two cores, with
 * the same bytes.
 *
 * 10,000 and 100,000 short rows, or as EXPORT_BENCH_ROWS says (1000000 takes some minutes and 8 GB of disk). Run with
 * `make bench`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sha256Hex } from '../base/ids.ts';
import { createDatasetWriter } from '../output/dataset/createDatasetWriter.ts';
import { loadTokenizer } from '../output/tokenizers/loadTokenizer.ts';
import { builtinProfile } from '../schemas/coa/profiles/builtin.ts';
import { datasetConfigSchema } from '../schemas/config/dataset.ts';
import { trainingConfigSchema } from '../schemas/config/training.ts';
import { createExportStage } from '../stages/createExportStage.ts';
import { compareThreads } from './support/compareThreads.ts';
import { createExportRun, launcher } from './support/exportRun.ts';
import { mixedTrajectories } from './support/mixedTrajectories.ts';
import { watchProcess } from './support/watchProcess.ts';

for (const megabytes of (process.env.EXPORT_BENCH_MB ?? '10,30,90').split(',').map(Number))
  await compareExports(megabytes);
for (const rows of (process.env.EXPORT_BENCH_ROWS ?? '10000,100000').split(',').map(Number)) {
  const folder = await mkdtemp(path.join(tmpdir(), 'export-bench-'));
  try {
    await createExportRun({ folder, rows });
    await measure(folder, rows);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compareExports(megabytes: number): Promise<void> {
  const trajectories = mixedTrajectories(megabytes * 1e6);
  const rounds = megabytes > 60 ? 1 : 3;
  const folder = await mkdtemp(path.join(tmpdir(), 'export-bench-'));
  const dataset = path.join(folder, 'dataset');
  const hashes = new Set<string>();
  try {
    const exportAll = async () => {
      await rm(dataset, { recursive: true, force: true });
      const tokenizer = await loadTokenizer('qwen2.5');
      const options = {
        folder: dataset,
        name: 'bench',
        tokenizer,
        dataset: datasetConfigSchema.parse({ cutoff_len: 1_000_000 }),
        training: trainingConfigSchema.parse({}),
        profileOf: builtinProfile,
        configHash: 'config_0',
        version: '0.0.0',
      };
      const stage = createExportStage({ openWriter: () => createDatasetWriter(options) });
      const { signal } = new AbortController();
      for await (const { outcome } of stage.run(streamOf(trajectories), { signal }))
        if (outcome.kind !== 'emit') throw new Error(JSON.stringify(outcome));
      hashes.add(sha256Hex(readFileSync(path.join(dataset, 'manifest.json'))));
    };
    await compareThreads(`export of ${megabytes} MB`, megabytes, exportAll, { rounds });
    console.log(`${hashes.size === 1 ? 'the same bytes' : 'OTHER BYTES'} in ${trajectories.length} rows`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function* streamOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function measure(folder: string, rows: number): Promise<void> {
  const run = path.join(folder, 'runs/coa');
  const { size } = statSync(path.join(run, 'filter/records.jsonl'));
  const start = performance.now();
  const child = spawn(process.execPath, [launcher, 'run'], { cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'close');
  const isThere = () => existsSync(path.join(run, 'dataset/manifest.json'));
  const figures = await watchProcess(child.pid!, () => !isThere());
  const seconds = (performance.now() - start) / 1e3;
  if (!isThere()) throw new Error(`the export of ${rows} rows failed in ${folder}`);
  const { peakBytes } = await watchProcess(child.pid!, () => child.exitCode === null);
  await ended;
  const rate = (spent: number) =>
    `${(rows / spent).toFixed(0)} rows/s, ${(size / 1e6 / spent).toFixed(1)} MB/s`;
  console.log(
    `${rows} rows of ${(size / rows / 1e3).toFixed(1)} kB: ${rate(seconds)} (${seconds.toFixed(0)} s), ` +
      `by CPU seconds ${rate(figures.cpuSeconds)}; memory ${(figures.peakBytes / 1e6).toFixed(0)} MB at most, ` +
      `${(peakBytes / 1e6).toFixed(0)} MB in the report after it`,
  );
}
