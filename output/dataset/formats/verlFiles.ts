import type { JsonValue } from '../../../base/json.ts';
import { shellWord } from '../../../base/shellWord.ts';
import type { Split } from '../../../schemas/manifest.ts';
import { hydraOverride } from '../../quoting/hydraOverride.ts';
import type { FormatSettings, WrittenFormat } from '../datasetFormat.ts';

/** The class's name, which `data.custom_cls.name` takes. */
export const verlDatasetClassName = 'CoaDataset';

/**
 * `verl/coa_dataset.py`: the dataset class for verl's `data.custom_cls`, from 0.6 on, whose mask is unshifted: 1 trains
 * the prediction of the token itself. verl rolls mask and ids by one over whole micro-batches, so a 1 on a row's
 * first token would train the end of the row before on it: such a row stops the training before it starts, and so
 * does one that verl would have to cut.
 */
export const verlDatasetClass = `"""Rows of sft.parquet for verl's SFT trainer (0.6 and later): ids and loss mask as they are.

    data.train_files=sft.parquet data.custom_cls.path=coa_dataset.py data.custom_cls.name=${verlDatasetClassName}
    data.pad_mode=no_padding data.max_length=<at least the longest row> model.use_remove_padding=true
"""

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import torch
from torch.utils.data import Dataset


class ${verlDatasetClassName}(Dataset):
    """Raises ValueError for a row whose loss would not be the one that its mask means."""

    def __init__(self, parquet_files, tokenizer=None, config=None, processor=None, max_samples=-1):
        config = config or {}
        if config.get("pad_mode", "no_padding") != "no_padding":
            raise ValueError("coa_dataset: rows come without padding, set data.pad_mode=no_padding")
        files = [parquet_files] if isinstance(parquet_files, str) else list(parquet_files)
        table = pa.concat_tables(pq.read_table(file, columns=["input_ids", "loss_mask"]) for file in files)
        if max_samples is not None and max_samples > 0:
            table = table.slice(0, max_samples)
        self.input_ids = table.column("input_ids")
        self.loss_mask = table.column("loss_mask")
        # A mask of weights stays one: verl's loss is sum(weight * loss) / sum(weight).
        is_weights = pa.types.is_floating(self.loss_mask.type.value_type)
        self.mask_dtype = torch.float32 if is_weights else torch.long
        self._check(config.get("max_length"))

    def _check(self, max_length):
        lengths = pc.list_value_length(self.input_ids)
        mask_lengths = pc.list_value_length(self.loss_mask)
        self._refuse(pc.not_equal(lengths, mask_lengths), "loss_mask is not as long as input_ids")
        self._refuse(pc.equal(lengths, 0), "it has no tokens")
        first = pc.list_element(self.loss_mask, 0)
        self._refuse(pc.not_equal(first, 0), "loss_mask[0] must be 0, for nothing predicts the first token")
        if max_length is not None:
            problem = f"it is longer than data.max_length={max_length}, and cutting it would cut its mask"
            self._refuse(pc.greater(lengths, max_length), problem)

    def _refuse(self, broken, problem):
        row = pc.index(broken, True).as_py()
        if row >= 0:
            raise ValueError(f"coa_dataset: row {row}: {problem}")

    def __len__(self):
        return len(self.input_ids)

    def __getitem__(self, row):
        input_ids = torch.tensor(self.input_ids[row].values.to_numpy(), dtype=torch.long)
        loss_mask = torch.tensor(self.loss_mask[row].values.to_numpy(), dtype=self.mask_dtype)
        return {"input_ids": input_ids, "position_ids": torch.arange(len(input_ids)), "loss_mask": loss_mask}
`;

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
