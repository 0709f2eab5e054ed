import type { DatasetConfig, TrainingConfig } from '../../schemas/config/dataset.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import { deepspeedZero3 } from './deepspeedZero3.ts';
import { llamaFactoryConfig } from './llamaFactoryConfig.ts';

/** What a training job is rendered from. */
export interface TrainingJobOptions {
  readonly manifest: Manifest;
  readonly training: TrainingConfig;
  readonly dataset: DatasetConfig;
  /** The run's name, which is the data set's name in `dataset_info.json`. */
  readonly name: string;
}

/** A file of a training job; the path starts at the job's folder. */
export interface JobFile {
  readonly path: string;
  readonly text: string;
}

/** The job's folder is `train/<job>/` of the run, two levels below the run's folder. */
const datasetFolder = '../../dataset';

/**
 * The files of a job that trains on the dataset with stock LLaMA-Factory, on its tokens (`train.yaml`) or on its text
 * (`train-text.yaml`). Nothing is launched.
 */
export function renderTrainingJob(options: TrainingJobOptions): readonly JobFile[] {
  const { manifest, training, name } = options;
  const common = {
    training,
    cutoffLen: manifest.cutoff_len,
    outputDir: 'output',
    deepspeed: 'deepspeed-zero3.json',
  };
  return [
    {
      path: 'train.yaml',
      text: llamaFactoryConfig({
        ...common,
        heading:
          'Supervised fine-tuning on the tokens and masks of dataset/tokenized.\nStart it with run.sh.',
        data: { form: 'tokenized', folder: `${datasetFolder}/tokenized` },
      }),
    },
    {
      path: 'train-text.yaml',
      text: llamaFactoryConfig({
        ...common,
        heading:
          'The same on the text rows of dataset/llama_factory: LLaMA-Factory tokenises and masks by itself.\nStart it with: bash run.sh train-text.yaml',
        data: { form: 'text', folder: `${datasetFolder}/llama_factory`, dataset: name },
      }),
    },
    { path: 'deepspeed-zero3.json', text: `${JSON.stringify(deepspeedZero3, null, 2)}\n` },
    { path: 'run.sh', text: runScript },
    { path: 'README.txt', text: readme(options) },
  ];
}

const runScript = `#!/usr/bin/env bash
# Trains with LLaMA-Factory on the GPUs of this machine. Usage: bash run.sh [CONFIG]
set -euo pipefail
cd "$(dirname "\${BASH_SOURCE[0]}")"

config="\${1:-train.yaml}"

# DeepSpeed wants torchrun, even on one GPU. Over several machines also set NNODES, NODE_RANK, MASTER_ADDR and
# MASTER_PORT, the same on all but NODE_RANK.
export FORCE_TORCHRUN=1

# Started again, it goes on from the newest checkpoint in output/.
exec llamafactory-cli train "$config"
`;

function readme({ manifest, training, dataset, name }: TrainingJobOptions): string {
  const sequences = training.per_device_batch_size * training.gradient_accumulation_steps;
  return `Training job for the dataset of run ${name}

Data       ${manifest.rows} rows, ${manifest.tokens} tokens, ${manifest.trained_tokens} of them trained
Model      ${training.model}
Tokenizer  ${manifest.tokenizer.name}, SHA-256 ${manifest.tokenizer.sha256}

Before the first run
- Install LLaMA-Factory (llamafactory) and deepspeed in one Python environment, and put its bin on the PATH.
- The tokens fit models with this very tokenizer. For another model set dataset.tokenizer to its tokenizer.json,
  export again, and render the job again.
- An optimiser step takes ${sequences} rows a GPU (per_device_train_batch_size x gradient_accumulation_steps):
  with another number of GPUs change gradient_accumulation_steps so that the product stays as you want it.
- Rows have up to ${dataset.cutoff_len} tokens. Where a GPU's memory is too small, use more GPUs or lower
  dataset.cutoff_len and export again; lowering cutoff_len here would cut rows, and with them the masks.

Files
  train.yaml            trains on dataset/tokenized: ids and masks as they are
  train-text.yaml       trains on dataset/llama_factory: the same ids and masks, made by LLaMA-Factory from the text
  deepspeed-zero3.json  ZeRO stage 3; delete the deepspeed line of the configuration to train without
  run.sh                starts it
  output/               checkpoints and logs, once it runs

Environment text (tool observations) is in the rows and never in the loss.
`;
}
