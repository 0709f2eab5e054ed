import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import type { DatasetAuditor, DatasetFacts, GateFacts } from '../../contract/trainingGate.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { datasetFilesOf } from '../plan/datasetFiles.ts';
import { trainerTable } from '../trainers/trainerTable.ts';
import { datasetGate } from './datasetGates.ts';
import { modelFolderFacts } from './modelFolderFacts.ts';
import { trainerFacts } from './trainerFacts.ts';

/** What there is to look at before a job starts. */
export interface GateSubject {
  readonly plan: TrainingPlan;
  /** Absolute; it need not be there yet. */
  readonly jobFolder: string;
  /** Python of the trainer's environment; null where it is not on this machine. */
  readonly python: string | null;
  /** `dataset.tokenizer` of the run's configuration; null where there is none. */
  readonly tokenizer: string | null;
  readonly auditDataset: DatasetAuditor;
}

/** Looks at everything that the gates judge by. Only reads; the trainer's Python loads the dataset. */
export async function gatherGateFacts({
  plan,
  jobFolder,
  python,
  tokenizer,
  auditDataset,
}: GateSubject): Promise<GateFacts> {
  const { facts: dataset, manifest } = await datasetFacts(plan.dataset.folder, tokenizer, auditDataset);
  const { train, validation } = datasetFilesOf(trainerTable[plan.trainer], manifest);
  // Loading runs a program of the dataset: only the one that was exported.
  const isAsExported = datasetGate({ plan, dataset }).kind === 'pass';
  return {
    plan,
    dataset,
    model: await modelFolderFacts(plan, { ...manifest.tokenizer, source: tokenizer }),
    trainer:
      python === null || !isAsExported
        ? null
        : await trainerFacts({ python, plan, files: { train, validation } }),
    freeBytes: await freeBytes(jobFolder),
  };
}

/**
 * Reads a dataset's manifest and audits the dataset.
 *
 * @param tokenizer name or path of its tokenizer; null: the name that the manifest has
 */
async function datasetFacts(
  folder: string,
  tokenizer: string | null,
  auditDataset: DatasetAuditor,
): Promise<{ facts: DatasetFacts; manifest: Manifest }> {
  const path = join(folder, 'manifest.json');
  const bytes = await readFile(path);
  const manifest = parseManifest(path, bytes.toString('utf8'));
  const manifestSha256 = createHash('sha256').update(bytes).digest('hex');
  const audit = await auditDataset(folder, manifest, tokenizer ?? undefined);
  return { facts: { manifestSha256, audit, tokenizerName: manifest.tokenizer.name }, manifest };
}

function parseManifest(path: string, text: string): Manifest {
  try {
    return parseStored(manifestSchema, text);
  } catch (cause) {
    throw new UserError(
      `${path}: damaged (${(cause as Error).message}); make the dataset again with coa-distill run CONFIG --from export`,
      { cause },
    );
  }
}

async function freeBytes(path: string): Promise<number> {
  let folder = path;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
