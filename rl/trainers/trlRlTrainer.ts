import type { JsonValue } from '../../base/json.ts';
import { shellWord } from '../../base/shellWord.ts';
import type { JobSettings, SettingRules, Trainer, TrainerCommand } from '../../contract/trainer.ts';
import { renderYaml } from '../../output/quoting/renderYaml.ts';
import { rlFigures } from '../../schemas/training/rlPresets.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { huggingFaceCheckpoints } from '../../training/trainers/huggingFace.ts';
import { argumentForm, refusals, refusedFor, setInstead } from '../../training/trainers/refusedKeys.ts';
import { testedTrl, trlFootprint } from '../../training/trainers/trlDpoTrainer.ts';
import {
  type RlFigureNames,
  rlFormat,
  rlLogEntry,
  rlPreparation,
  rlTrainer,
  rlWork,
  rolloutsFolder,
} from './rlWork.ts';

const configFile = 'trl.yaml';
const checkpointFolder = 'checkpoints';
const metricsFile = 'metrics.jsonl';

const settings: SettingRules = {
  schedulers: ['cosine', 'constant', 'linear'],
  wholeEpochs: false,
  modelKey: 'model',
  keyForm: argumentForm,
  expectedKey: "a key of TRL's GRPOConfig, such as gradient_checkpointing",
  refusedKeys: {
    ...refusedFor('rollouts are played by the dataset’s own loop', 'tasks max_prompt_length shuffle_dataset'),
    ...refusedFor(refusals.folder, 'output_dir metrics_file rollouts logging_steps run_name'),
    ...refusedFor(refusals.resume, 'resume_from_checkpoint'),
    model: setInstead('model'),
    learning_rate: setInstead('rl.learning_rate'),
    num_generations: setInstead('rl.rollouts'),
    per_device_train_batch_size: setInstead('rl.prompts_per_step'),
    gradient_accumulation_steps: setInstead('rl.prompts_per_step'),
    max_completion_length: setInstead('rl.max_response_tokens'),
    num_train_epochs: setInstead('rl.epochs'),
    max_steps: setInstead('max_steps'),
    save_steps: setInstead('save_steps'),
    seed: setInstead('seed'),
  },
};

/** TRL's GRPO with coa-distill's loop: one GPU, or a CPU for a trial. */
export const trlRlTrainer: Trainer = {
  ...rlTrainer,
  name: 'trl-rl',
  title: 'TRL',
  tested: testedTrl,
  settings,
  probe: { keys_of: 'trl_rl_keys', load: 'rl_tasks', options: { model_key: 'model' } },
  keysOf,
  workOf(training) {
    const rl = rlFigures(training);
    const { beta = rl.kl_coefficient } = training.set;
    return rlWork(rl, { engine: 'transformers', tensor_parallel: 1, hasReference: Number(beta) > 0 });
  },
  footprintOf: trlFootprint,
  notesOn,
  commandOf,
  logEntryOf: (line) => rlLogEntry(line, figures),
  checkpoints: huggingFaceCheckpoints,
  keepOneCheckpoint: 'save_total_limit=1',
};

/** TRL's batches consist of rollouts; one device processes one task at a time. */
function keysOf(job: JobSettings): Record<string, JsonValue> {
  const { training, files, folders } = job;
  const rl = rlFigures(training);
  return {
    model: training.model,
    tasks: files.train.map((path) => `${folders.dataset}/${path}`),
    output_dir: checkpointFolder,
    metrics_file: metricsFile,
    rollouts: rolloutsFolder,
    learning_rate: rl.learning_rate,
    lr_scheduler_type: 'constant_with_warmup',
    warmup_steps: rl.warmup_steps,
    weight_decay: rl.weight_decay,
    num_generations: rl.rollouts,
    per_device_train_batch_size: rl.rollouts,
    gradient_accumulation_steps: rl.prompts_per_step,
    max_completion_length: rl.max_response_tokens,
    temperature: 1,
    beta: rl.kl_coefficient,
    epsilon: rl.clip_low,
    epsilon_high: rl.clip_high,
    loss_type: 'dapo',
    num_train_epochs: rl.epochs,
    max_steps: job.steps.total,
    save_strategy: 'steps',
    save_steps: job.saveSteps,
    logging_steps: 1,
    seed: training.seed,
    report_to: [],
    ...(job.gpusPerNode === 0 ? { use_cpu: true, bf16: false } : { bf16: true }),
    ...training.set,
  };
}

function notesOn({ rl, gpus_per_node: gpus, nodes }: Omit<TrainingPlan, 'notes'>): string[] {
  return [
    'rollouts are played against the server of COA_RL_URL (coa-distill serve rl)',
    ...(rl && rl.algorithm !== 'grpo'
      ? [`TRL plays ${rl.algorithm} as GRPO: it has no critic and replaces no tasks; verl-rl has both`]
      : []),
    ...(gpus * nodes > 1 ? ['this job uses one process; verl-rl is for several GPUs'] : []),
  ];
}

function commandOf(plan: TrainingPlan): TrainerCommand {
  return {
    files: [{ path: configFile, text: renderYaml(plan.hyper_parameters) }],
    module: 'trl_grpo',
    args: ['--config', configFile],
    torchrun: false,
    preparation: rlPreparation(shellWord(`${plan.dataset.folder}/${rlFormat}`), plan),
    follow: { metrics_file: metricsFile, earlier_metrics_file: null, checkpoint_folder: checkpointFolder },
  };
}

const figures: RlFigureNames = {
  loss: ['loss'],
  learningRate: ['learning_rate'],
  reward: ['reward'],
  entropy: ['entropy'],
  kl: ['kl'],
  length: ['completions/mean_length'],
};
