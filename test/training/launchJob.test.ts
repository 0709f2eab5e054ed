import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../base/ids.ts';
import { systemClock } from '../../base/systemClock.ts';
import type { JobControl } from '../../contract/launcher.ts';
import { checkForGate } from '../../operations/checkFiles.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { judgeJob } from '../../training/gates/judgeJob.ts';
import { launchJob } from '../../training/launchJob.ts';
import { refuseChangedData } from '../../training/resumeJob.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { fullReport } from '../viewer/support/reportSample.ts';
import { installPrograms } from './support/installPrograms.ts';
import { samplePlan } from './support/sampleJob.ts';

const tokenizer = '/nowhere/tokenizer.json';

/** A dataset of one file, and the plan of a job on it. */
function datasetFolder() {
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

/** A trainer's Python that answers as the plan says, and leaves a trace of having run. */
function python(): { readonly path: string; ran(): boolean } {
  const folder = temporaryFolder();
  const trace = join(folder, 'ran');
  const answer = JSON.stringify({
    versions: { llamafactory: '0.9.5' },
    loaded: { rows: 12, validation_rows: 0, longest: 900 },
    load_error: null,
    arguments: null,
  });
  installPrograms({ python: `touch '${trace}'\necho '${answer}'` }, folder);
  return { path: join(folder, 'python'), ran: () => existsSync(trace) };
}

test('files are compared with the manifest also where nothing can be audited, and edited ones are not loaded', async () => {
  const asked = async (data: ReturnType<typeof datasetFolder>) => {
    const { path, ran } = python();
    const { facts } = await judgeJob({ ...launching().options, plan: data.plan, python: path });
    expect(facts.dataset.audit.problem).not.toBeNull();
    return { changed: facts.dataset.audit.changedFiles, trainer: facts.trainer, ran: ran() };
  };
  expect(await asked(datasetFolder())).toMatchObject({ changed: [], trainer: { problem: null }, ran: true });
  const edited = datasetFolder();
  appendFileSync(edited.rows, 'x');
  expect(await asked(edited)).toEqual({
    changed: [expect.stringMatching(/^\S+rows\.parquet: its SHA-256 is/)],
    trainer: null,
    ran: false,
  });
});

/** What launches a job on a dataset that no audit reads, by a launcher that starts nothing. */
function launching() {
  const { plan } = datasetFolder();
  const runFolder = temporaryFolder();
  const control: JobControl = {
    start: async ({ folder }) => ({
      kind: 'process',
      host: hostname(),
      pid: 1,
      process_identity: 'gone',
      mark: folder,
    }),
    state: async () => ({ kind: 'ended', exitCode: 1, outOfMemory: false }),
    stop: async () => undefined,
  };
  const options = {
    runFolder,
    run: { name: 't', config_hash: 'config_0', config: { dataset: { tokenizer } } } as unknown as RunFile,
    job: 'sft',
    training: { set: {} },
    plan: { ...plan, model: 'a/model' },
    rendered: {
      files: [{ path: 'run.sh', text: 'true\n' }],
      start: { argv: ['bash', 'run.sh'], env: {} },
      follow: {
        checkpoint_folder: 'output',
        metrics_file: 'output/trainer_log.jsonl',
        earlier_metrics_file: 'earlier.jsonl',
        console_file: 'console.log',
      },
    },
    python: python().path,
    gpusGiven: true,
    control,
    clock: systemClock,
    auditDataset: checkForGate,
  };
  return { options, folder: join(runFolder, 'train/sft') };
}

test('a job keeps the Python that it was started with, and is started once', async () => {
  const { options } = launching();
  const { record } = await launchJob(options);
  expect(record.start.env).toEqual({ PYTHON: options.python });
  await expect(launchJob(options)).rejects.toThrow('job t/sft was started before (failed)');
});

test.each(['output/checkpoint-2/trainer_state.json', 'earlier.jsonl'])(
  'a first start refuses a folder with the %s of a training by hand, and writes nothing',
  async (path) => {
    const { options, folder } = launching();
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '{}');
    await expect(launchJob(options)).rejects.toThrow(/is there already.*name another job with --job/);
    expect(existsSync(join(folder, 'run.sh'))).toBe(false);
  },
);

test('a job goes on with the data that it was started with', async () => {
  await expect(refuseChangedData(datasetFolder())).resolves.toBeUndefined();
});

test('and with no other: edited rows, a new export, no dataset', async () => {
  const edited = datasetFolder();
  appendFileSync(edited.rows, 'x');
  await expect(refuseChangedData(edited)).rejects.toThrow(
    /rows\.parquet: its SHA-256 is .*start a new job with --job NAME/,
  );
  const exported = datasetFolder();
  appendFileSync(exported.manifest, '\n');
  await expect(refuseChangedData(exported)).rejects.toThrow('manifest.json: it was rewritten');
  const gone = datasetFolder();
  rmSync(gone.manifest);
  await expect(refuseChangedData(gone)).rejects.toThrow('manifest.json: it is not there');
});
