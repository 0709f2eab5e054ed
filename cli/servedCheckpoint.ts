import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { jsonValueOf } from '../base/json.ts';
import { UserError } from '../base/userError.ts';
import type { ServedPlayer } from '../evaluation/servePlayer.ts';
import { servedName } from '../evaluation/serving/servedFolder.ts';
import { mergeCommand, readModelFolder } from '../evaluation/serving/servingCommands.ts';
import { configOfRun } from '../pipeline/config/parseConfig.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import type { Config } from '../schemas/config/config.ts';
import { newestCheckpoint } from '../training/checkpoints.ts';
import { findJob } from './train/findJob.ts';
import { findGpus } from './train/gpus.ts';

/** A checkpoint, and what the run that it was trained on tells of it. */
interface Checkpoint {
  readonly folder: string;
  readonly label: string;
  /** Absent for a folder that no job of ours made. */
  readonly trainedOn?: Config;
}

/**
 * The player that `--serve` means: a folder with a model, or the newest whole checkpoint of a job `RUN/JOB`.
 *
 * @throws UserError where there is none, or it is an adapter alone
 */
export async function servedCheckpoint(wanted: string): Promise<ServedPlayer> {
  const { folder, label, trainedOn } = await findCheckpoint(wanted);
  const { adapterOf } = await readModelFolder(folder);
  if (adapterOf !== null)
    throw new UserError(
      `--serve ${wanted}: an adapter (LoRA) of ${adapterOf}, which transformers serve can't serve; merge it, then serve the merged folder: ${mergeCommand(folder)}`,
    );
  const python = trainedOn?.training.python ?? process.env.PYTHON ?? 'python3';
  return {
    name: await servedName(label, folder),
    folder,
    python: python.includes('/') ? resolve(python) : python,
    device: (await findGpus()).count > 0 ? 'auto' : 'cpu',
    positions: await positionsOf(folder),
    dataset: trainedOn ? renderingOf(trainedOn) : await ownRendering(folder),
    ...(trainedOn && trainedOn.profiles.length > 0 && { profiles: trainedOn.profiles }),
  };
}

async function findCheckpoint(wanted: string): Promise<Checkpoint> {
  const folder = resolve(wanted);
  if (['config.json', 'adapter_config.json'].some((name) => existsSync(join(folder, name))))
    return { folder, label: `${basename(dirname(folder))}-${basename(folder)}` };
  const job = await findJob(wanted);
  const checkpoint = await newestCheckpoint(job.folder, job.record);
  if (checkpoint === null)
    throw new UserError(
      `--serve ${wanted}: ${job.name} has no whole checkpoint on this machine; see how it ended with: coa-distill train status ${job.name}`,
    );
  const { run } = await findRun(dirname(dirname(job.folder)));
  return { folder: checkpoint.model, label: job.name, trainedOn: configOfRun(run) };
}

/** How the run made texts of turns: a student is asked as it was trained. */
function renderingOf({ dataset }: Config): ServedPlayer['dataset'] {
  const { system_prompt, tokenizer, chat_template, template_variables } = dataset;
  return { system_prompt, tokenizer, chat_template, template_variables };
}

/** What the model's own folder says of it. */
async function ownRendering(folder: string): Promise<ServedPlayer['dataset']> {
  const tokenizer = join(folder, 'tokenizer.json');
  const template = ['chat_template.jinja', 'tokenizer_config.json']
    .map((name) => join(folder, name))
    .find((path) => existsSync(path));
  return {
    ...(existsSync(tokenizer) && { tokenizer }),
    ...(template !== undefined && { chat_template: template }),
  };
}

const positionsSchema = z.looseObject({ max_position_embeddings: z.int().positive() });

async function positionsOf(folder: string): Promise<number | null> {
  const config = jsonValueOf(await readFile(join(folder, 'config.json'), 'utf8'));
  return positionsSchema.safeParse(config).data?.max_position_embeddings ?? null;
}
