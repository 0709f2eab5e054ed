import type { JsonValue } from '../../../base/json.ts';
import type { JobFile } from '../../../contract/launcher.ts';
import type { JobSettings, TrainerCommand } from '../../../contract/trainer.ts';
import { renderYaml, type YamlComments } from '../../../output/quoting/renderYaml.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { huggingFaceOutput, trainingArguments } from '../huggingFace.ts';

/** DeepSpeed's configuration, in the job's folder. */
export const deepspeedFile = 'deepspeed-zero3.json';

/** LLaMA-Factory configuration of the job. */
const configFile = 'train.yaml';

/**
 * Runs LLaMA-Factory's module, since `llamafactory-cli` splits its command at spaces and starts torchrun from the PATH,
 * which may belong to another Python.
 */
export function llamaFactoryCommand(plan: TrainingPlan): TrainerCommand {
  const { gpus_per_node: gpus, nodes, processes_per_node: processes } = plan;
  return {
    files: filesOf(plan),
    module: 'llamafactory.launcher',
    args: [configFile],
    // DeepSpeed needs torchrun even for a single GPU.
    torchrun: gpus > 0 || nodes * processes > 1,
    preparation: gpus > 0 ? `${setAsideTorn}\n${gpuEnvironment}` : setAsideTorn,
    follow: {
      metrics_file: `${huggingFaceOutput}/trainer_log.jsonl`,
      earlier_metrics_file: null,
      checkpoint_folder: huggingFaceOutput,
    },
  };
}

const comments: YamlComments = {
  dataset: 'Asked for, and not read: the rows are in tokenized_path.',
  template: 'Not applied: tokens are read as they are.',
  cutoff_len: 'No row is longer, and none is ever cut.',
  packing: 'Packing mixes rows in one sequence; the masks hold either way.',
  report_to: 'Or wandb, tensorboard, swanlab, mlflow, trackio; their keys come from the environment.',
};

function filesOf({ hyper_parameters: keys }: TrainingPlan): JobFile[] {
  const what =
    keys.stage === 'dpo'
      ? 'DPO on the tokens and masks of pairs'
      : 'Supervised fine-tuning on the tokens and masks';
  const heading = `# ${what} of the dataset. Start it with run.sh.\n`;
  const config = { path: configFile, text: heading + renderYaml(keys, comments) };
  if (keys.deepspeed !== deepspeedFile) return [config];
  return [config, { path: deepspeedFile, text: `${JSON.stringify(deepspeedZero3, null, 2)}\n` }];
}

const setAsideTorn = `# It goes on from the newest checkpoint. One that was cut off while saving has no trainer_state.json, which is written
# last, and would stop every start: it is set aside.
for checkpoint in ${huggingFaceOutput}/checkpoint-*/; do
  if [[ -d "$checkpoint" && ! -e "\${checkpoint}trainer_state.json" ]]; then
    aside="${huggingFaceOutput}/torn-$(basename "$checkpoint")-$(date +%s)"
    if mv "$checkpoint" "$aside"; then echo "run.sh: $checkpoint was cut off while saving; it is $aside now" >&2; fi
  fi
done
`;

const gpuEnvironment = `# As llamafactory-cli sets them.
export PYTORCH_CUDA_ALLOC_CONF="\${PYTORCH_CUDA_ALLOC_CONF:-expandable_segments:True}"
export TORCH_NCCL_AVOID_RECORD_STREAMS="\${TORCH_NCCL_AVOID_RECORD_STREAMS:-1}"
`;

/**
 * DeepSpeed ZeRO stage 3, which AFM trained with: weights, gradients and optimiser states are sharded over the GPUs.
 * LLaMA-Factory fills in `auto` values.
 */
const deepspeedZero3 = {
  train_batch_size: 'auto',
  train_micro_batch_size_per_gpu: 'auto',
  gradient_accumulation_steps: 'auto',
  gradient_clipping: 'auto',
  zero_allow_untested_optimizer: true,
  bf16: { enabled: 'auto' },
  fp16: { enabled: false },
  zero_optimization: {
    stage: 3,
    overlap_comm: false,
    contiguous_gradients: true,
    sub_group_size: 1_000_000_000,
    reduce_bucket_size: 'auto',
    stage3_prefetch_bucket_size: 'auto',
    stage3_param_persistence_threshold: 'auto',
    stage3_max_live_parameters: 1_000_000_000,
    stage3_max_reuse_distance: 1_000_000_000,
    stage3_gather_16bit_weights_on_model_save: true,
  },
} as const;

/** LLaMA-Factory configuration keys for training on the dataset's tokens, including `training.set`. */
export function llamaFactoryKeys(settings: JobSettings): Record<string, JsonValue> {
  const { training, dataset, files, gpusPerNode, cutoffLen } = settings;
  return {
    ...trainingArguments(settings),
    stage: 'sft',
    do_train: true,
    finetuning_type: 'full',
    ...(gpusPerNode > 0 && { deepspeed: deepspeedFile }),
    tokenized_path: `${dataset}/tokenized`,
    dataset: 'unused',
    ...(files.validationRows > 0 && { eval_dataset: 'unused' }),
    template: 'empty',
    cutoff_len: cutoffLen,
    packing: false,
    plot_loss: true,
    // Its flag enables the tracker (`train/tuner.py`), so the configuration must name it too.
    ...(training.set.use_swanlab === true && { report_to: 'swanlab' }),
    ddp_timeout: 180_000_000,
    ...training.set,
  };
}
