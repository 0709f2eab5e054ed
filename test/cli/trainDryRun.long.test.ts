import { appendFileSync, chmodSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { sha256Hex } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { trainFromCommandLine } from '../../cli/train/trainFromCommandLine.ts';
import type { TrainCommandOptions } from '../../cli/train/trainingFromCommandLine.ts';
import type { DatasetAuditor } from '../../contract/trainingGate.ts';
import { checkForGate } from '../../operations/checkFiles.ts';
import { trainerNames } from '../../schemas/training/jobNames.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { isFull } from '../support/cases.ts';
import { writeModelFolder } from '../trainers/support/writeModelFolder.ts';
import { createProject, jsonLines, sampleTasks } from './support/project.ts';
import { runWell } from './support/runCli.ts';

const cwd = sharedFolder();
const model = join(cwd, 'model');
const rows = 3;

beforeAll(async () => {
  createProject({
    folder: cwd,
    tasks: jsonLines(sampleTasks.slice(0, rows)),
    more: 'dataset: { formats: [tokenized, verl], cutoff_len: 4000 }\n',
  });
  await runWell(['run', '--name', 'whole'], { cwd });
  await writeModelFolder(model);
});

/** Something to plant a failure in. */
interface Planted {
  /** A run of its own. */
  readonly run: string;
  readonly trainer: (typeof trainerNames)[number];
  /** What the trainer's Python answers. */
  readonly answer: JsonObject;
  /** Whether the rows are read, which takes a second; otherwise they are taken for sound. */
  readsRows: boolean;
  /** Whether the GPUs of this machine are counted. */
  countsGpus: boolean;
  options: Partial<TrainCommandOptions>;
}

const noAudit: DatasetAuditor = async () => ({ problem: null, findings: 0, first: '', changedFiles: [] });

let planted = 0;

/** A job that every gate lets through. */
function soundJob(trainer: Planted['trainer']): Planted {
  planted += 1;
  const run = join(cwd, `runs/planted-${planted}`);
  cpSync(join(cwd, 'runs/whole'), run, { recursive: true });
  const { tested } = trainerTable[trainer];
  const versions = { [tested.package]: tested.version };
  const loaded = { rows, validation_rows: 0, longest: 900 };
  return {
    run,
    trainer,
    answer: { versions, loaded, load_error: null, arguments: null },
    readsRows: false,
    countsGpus: false,
    options: {},
  };
}

/** A program in the place of the trainer's Python: it answers, and trains nothing. */
function pythonOf({ run, answer }: Planted): string {
  const path = join(run, 'python');
  writeFileSync(path, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
  chmodSync(path, 0o755);
  return path;
}

/** What `train` says of a job with these options: the refusal, or null where it starts it. */
async function verdictOf(job: Planted, more: Pick<TrainCommandOptions, 'dryRun' | 'detach'>) {
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(String(text)));
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const { set = [], ...options } = job.options;
  const settings = [
    ...['lr_scheduler=constant', 'gradient_accumulation_steps=1', `python=${pythonOf(job)}`],
    ...(job.countsGpus ? [] : ['gpus_per_node=0']),
    ...set,
  ];
  // Looking into a model's folder takes half a second.
  const given = { model: 'tiny/model', job: 'sft', trainer: job.trainer };
  try {
    const all = { ...given, ...options, set: settings, json: true as const, ...more };
    const code = await trainFromCommandLine(job.run, all, job.readsRows ? checkForGate : noAudit);
    return { code, refusal: null, printed: printed.at(-1)! };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { code: 2, refusal: error.message, printed: '' };
  } finally {
    log.mockRestore();
  }
}

interface Shown {
  readonly gates: readonly {
    readonly gate: string;
    readonly verdict: string;
    readonly message: string | null;
  }[];
}

/** Asks both commands, and demands that they agree. Returns the gates in the way, or the refusal of the plan. */
async function agreedVerdict(job: Planted): Promise<readonly string[]> {
  const dry = await verdictOf(job, { dryRun: true });
  expect(existsSync(join(job.run, 'train/sft/job.json'))).toBe(false);
  const real = await verdictOf(job, { detach: true });
  if (dry.refusal !== null) {
    expect(real.code).toBe(dry.code);
    expect(real.refusal).toBe(dry.refusal);
    return [dry.refusal];
  }
  const { gates } = JSON.parse(dry.printed) as Shown;
  // What is missing here is no fault of the plan.
  expect(dry.code).toBe(gates.some(({ verdict }) => verdict === 'failed') ? 2 : 0);
  const failed = gates.filter(({ verdict }) => verdict === 'failed' || verdict === 'missing_here');
  expect(real.code).toBe(failed.length === 0 ? 0 : 2);
  const told = failed.map(({ message }) => message).join('; also: ');
  // The real one looks at its folder before the minutes that an audit takes.
  if (failed[0]?.gate === 'disk') expect(told).toContain(real.refusal);
  else expect(real.refusal ?? '').toBe(told);
  return failed.map(({ gate }) => gate);
}

const set = (...settings: string[]) => ({ set: settings });

/** Rewrites a file of the dataset as if it had been exported so. */
function rewrite(job: Planted, path: string, change: (text: string) => string): void {
  const dataset = join(job.run, 'dataset');
  const text = change(readFileSync(join(dataset, path), 'utf8'));
  writeFileSync(join(dataset, path), text);
  editManifest(job, (manifest) => {
    const file = manifest.files.find((one) => one.path === path)!;
    Object.assign(file, { sha256: sha256Hex(text), bytes: Buffer.byteLength(text) });
  });
}

interface ManifestFiles {
  readonly files: { path: string; rows: number | null }[];
}

function editManifest({ run }: Planted, change: (manifest: ManifestFiles) => void): void {
  const path = join(run, 'dataset/manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as ManifestFiles;
  change(manifest);
  writeFileSync(path, JSON.stringify(manifest));
}

const failures: readonly [
  failure: string,
  gates: readonly (string | RegExp)[],
  plant: (job: Planted) => unknown,
][] = [
  [
    'nothing',
    [],
    (job) => {
      job.readsRows = true;
      job.options = { model };
    },
  ],
  [
    'a key that breaks masks',
    [/training\.set\.\S+: refused/],
    (job) => {
      job.options = set(job.trainer === 'verl' ? 'data.truncation=left' : 'template=qwen');
    },
  ],
  [
    'no GPU',
    ['memory'],
    (job) => {
      vi.stubEnv('PATH', '/nowhere');
      job.countsGpus = true;
    },
  ],
  [
    'an edited data file',
    ['rows'],
    (job) => {
      job.readsRows = true;
      const file = job.trainer === 'verl' ? 'verl/coa_dataset.py' : 'tokenized/data-00000-of-00001.arrow';
      appendFileSync(join(job.run, 'dataset', file), '\n');
    },
  ],
  [
    'masks of other texts',
    ['masks'],
    (job) => {
      job.readsRows = true;
      rewrite(job, 'trajectories.jsonl', (text) => text.replaceAll('river', 'mount'));
    },
  ],
  [
    'another version',
    ['trainer'],
    ({ answer }) => {
      const versions = answer.versions as Record<string, string>;
      for (const name of Object.keys(versions)) versions[name] = '0.0.1';
    },
  ],
  [
    'rows that the trainer drops',
    ['rows'],
    ({ answer }) => Object.assign(answer, { loaded: { rows: 1, validation_rows: 0, longest: 900 } }),
  ],
  [
    'a disk without room',
    ['disk'],
    (job) => {
      job.options = { ...set('save_steps=1', 'max_steps=1000000000000'), model };
    },
  ],
];

/** Those that fine-tune on rows: pairs and tasks have gates of their own, and tests of their own. */
const ofRows = trainerNames.filter((name) => trainerTable[name].method === 'sft');
/** What the gates of all trainers share, `make test` plants with one of them. */
const tried = isFull ? ofRows : ofRows.slice(0, 1);

describe.each(tried)('train and its dry run agree with %s about', (trainer) => {
  test.each(failures)('%s', async (_failure, expected, plant) => {
    const job = soundJob(trainer);
    plant(job);
    const found = await agreedVerdict(job);
    expect(found).toHaveLength(expected.length);
    for (const [at, one] of expected.entries()) expect(found[at]).toMatch(one);
  });
});
