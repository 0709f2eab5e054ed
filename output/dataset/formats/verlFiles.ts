import type { JsonValue } from '../../../base/json.ts';
import { shellWord } from '../../../base/shellWord.ts';
import type { Split } from '../../../schemas/manifest.ts';
import { hydraOverride } from '../../quoting/hydraOverride.ts';
import type { FormatSettings, WrittenFormat } from '../datasetFormat.ts';

/** The class's name, which `data.custom_cls.name` takes. */
export const verlDatasetClassName = 'CoaDataset';

/** Of a `train.sh` for one machine: `gpus`, how many to use, and `output`, a folder that is there. */
export const gpusAndOutput = `gpus="\${GPUS:-$(nvidia-smi --list-gpus 2> /dev/null | grep -c '^GPU ' || true)}"
if ((gpus == 0)); then
  echo "train.sh: no GPU was found; set GPUS to how many to use" >&2
  exit 1
fi
output="\${OUTPUT:-output}"
mkdir -p "$output"`;

type ScriptSettings = Pick<FormatSettings, 'name' | 'training'> & {
  readonly dataset: Pick<FormatSettings['dataset'], 'cutoff_len'>;
};

/**
 * `verl/train.sh`: starts verl's SFT trainer on the parquet files beside it, on the GPUs of one machine. Paths are
 * relative to its folder, so that no folder's name comes near a shell or Hydra.
 *
 * @throws UserError for a model whose name Hydra would expand
 */
export function verlTrainScript(
  { name, dataset, training }: ScriptSettings,
  { files }: Pick<WrittenFormat, 'files'>,
): string {
  const filesOf = (split: Split) =>
    files.filter((file) => file.split === split).map((file) => file.path.slice('verl/'.length));
  const rowsOf = (split: Split) =>
    files.reduce((sum, file) => sum + (file.split === split ? file.rows : 0), 0);
  const validation = filesOf('validation');
  const rowsAStep = training.per_device_batch_size * training.gradient_accumulation_steps;
  return `#!/usr/bin/env bash
# Supervised fine-tuning with verl (0.6 and later) on the ids and masks of the parquet files in this folder.
# Usage: bash train.sh [KEY=VALUE ...]   further keys of verl's configuration, for instance model.path=/models/m
# Environment: GPUS, how many to use (default: all of this machine); OUTPUT, folder of checkpoints and logs.
set -euo pipefail
cd "$(dirname "\${BASH_SOURCE[0]}")"

${gpusAndOutput}

# Rows of an optimiser step. verl takes no step at all on a dataset with fewer rows, and leaves out the last rows of an
# epoch that fill none.
batch=$((${rowsAStep} * gpus))
if ((batch > ${rowsOf('train')})); then
  batch=$((${rowsOf('train')} / (${training.per_device_batch_size} * gpus) * ${training.per_device_batch_size} * gpus))
  echo "train.sh: only ${rowsOf('train')} rows: a step takes $batch of them" >&2
fi
if ((batch == 0)); then
  echo "train.sh: ${rowsOf('train')} rows are too few for $gpus GPUs: set GPUS to fewer" >&2
  exit 1
fi
${validationNote(rowsOf('validation'))}
export VERL_FILE_LOGGER_PATH="\${VERL_FILE_LOGGER_PATH:-$output/metrics.jsonl}"

# Started again, it goes on from the newest checkpoint. No row is longer than max_length, and none is ever cut.
exec torchrun --standalone --nnodes=1 --nproc-per-node="$gpus" -m verl.trainer.sft_trainer \\
  ${override('data.train_files', filesOf('train'))} \\
  ${override('data.val_files', validation.length === 0 ? null : validation)} \\
  data.custom_cls.path=coa_dataset.py data.custom_cls.name=${verlDatasetClassName} \\
  data.train_batch_size="$batch" data.micro_batch_size_per_gpu=${training.per_device_batch_size} data.use_dynamic_bsz=False \\
  data.max_length=${dataset.cutoff_len} data.pad_mode=no_padding data.truncation=error \\
  ${override('model.path', training.model)} model.use_remove_padding=true \\
  engine=fsdp optim=fsdp optim.lr=${training.learning_rate} optim.lr_warmup_steps_ratio=${training.warmup_ratio} \\
  trainer.default_local_dir="$output/checkpoints" \\
  ${override('trainer.project_name', 'coa-distill')} ${override('trainer.experiment_name', name)} \\
  trainer.logger='["console","file"]' trainer.total_epochs=${Math.ceil(training.epochs)} trainer.seed=${training.seed} \\
  trainer.save_freq=after_each_epoch trainer.test_freq=${validation.length === 0 ? '-1' : 'after_each_epoch'} trainer.resume_mode=auto \\
  "$@"
`;
}

/** Nothing where there is no validation split. */
function validationNote(rows: number): string {
  if (rows === 0) return '';
  return `if ((batch > ${rows})); then
  echo "train.sh: ${rows} validation rows fill no batch of $batch, so verl will log nan as their loss" >&2
fi
`;
}

/** An override as one word of the shell. */
function override(key: string, value: JsonValue): string {
  return shellWord(hydraOverride(key, value));
}
