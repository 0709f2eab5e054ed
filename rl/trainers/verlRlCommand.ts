import type { JsonValue } from '../../base/json.ts';
import { shellWord } from '../../base/shellWord.ts';
import type { JobSettings, SettingRules, StepWork, TrainerCommand } from '../../contract/trainer.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import { rlFigures } from '../../schemas/training/rlPresets.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { refusals, refusedFor, setInstead } from '../../training/trainers/refusedKeys.ts';
import {
  loggersWith,
  mergedKeys,
  refusedByVerl,
  verlArguments,
  verlCheckpointFolder,
  verlOutput,
  verlPreparation,
  verlSettings,
} from '../../training/trainers/verl/verlCommand.ts';
import { verlLoopKeys } from '../dataset/rlFiles.ts';
import { rlFormat, rlPreparation, rlWork, rolloutsFolder } from './rlWork.ts';

/** verl's reinforcement learning trainer with its configuration as overrides. Starts or finds Ray itself. */
export function verlRlCommand(plan: TrainingPlan): TrainerCommand {
  return {
    files: [],
    module: 'verl.trainer.main_ppo',
    args: verlArguments(plan),
    torchrun: false,
    preparation: `${verlPreparation}
# A busy machine starts Ray's processes slowly.
export RAY_raylet_start_wait_time_s="\${RAY_raylet_start_wait_time_s:-300}"
${rlPreparation(shellWord(`${plan.dataset.folder}/${rlFormat}`), plan)}`,
    follow: verlOutput,
  };
}

const ENGINE_KEY = 'actor_rollout_ref.rollout.name';
/** GPUs per copy of the rollout engine. */
export const TENSOR_PARALLEL_KEY = 'actor_rollout_ref.rollout.tensor_model_parallel_size';
/** Share of GPU memory for sampling; the rest is for log-probabilities. */
const GPU_MEMORY_UTILIZATION = 0.6;

/** Steps of a job, with engine and reference settings from `training.set`. */
export function verlRlWork(training: TrainingConfig): StepWork {
  const rl = rlFigures(training);
  const told = (key: string, otherwise: JsonValue) => training.set[key] ?? otherwise;
  return rlWork(rl, {
    engine: String(told(ENGINE_KEY, 'vllm')),
    tensor_parallel: Number(told(TENSOR_PARALLEL_KEY, rl.tensor_parallel)),
    hasReference: told('actor_rollout_ref.actor.use_kl_loss', rl.kl_coefficient > 0) === true,
  });
}

/** Keys of verl (0.9) that play the dataset's tasks, including `training.set`. */
export function verlRlKeys(settings: JobSettings): Record<string, JsonValue> {
  const { training, files, folders, processesPerNode, cutoffLen, run, job } = settings;
  const rl = rlFigures(training);
  const paths = (names: readonly string[]): JsonValue => names.map((name) => `${folders.dataset}/${name}`);
  return mergedKeys(
    {
      'algorithm.adv_estimator': rl.algorithm === 'ppo' ? 'gae' : 'grpo',
      'algorithm.use_kl_in_reward': false,
      'data.train_files': paths(files.train),
      // verl opens these even without validation.
      'data.val_files': paths(files.validationRows === 0 ? files.train : files.validation),
      'data.train_batch_size': rl.prompts_per_step,
      'data.max_prompt_length': rl.max_prompt_tokens,
      'data.max_response_length': rl.max_response_tokens,
      'data.truncation': 'error',
      'data.seed': training.seed,
      'actor_rollout_ref.model.path': training.model,
      'actor_rollout_ref.model.use_remove_padding': true,
      'actor_rollout_ref.model.enable_gradient_checkpointing': true,
      ...actorKeys(settings),
      [ENGINE_KEY]: 'vllm',
      'actor_rollout_ref.rollout.temperature': 1,
      [TENSOR_PARALLEL_KEY]: rl.tensor_parallel,
      'actor_rollout_ref.rollout.gpu_memory_utilization': GPU_MEMORY_UTILIZATION,
      'actor_rollout_ref.rollout.log_prob_use_dynamic_bsz': true,
      'actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu': cutoffLen,
      ...(rl.algorithm === 'ppo' && criticKeys(settings)),
      ...verlLoopKeys(`${folders.dataset}/${rlFormat}`, rl),
      'trainer.project_name': run,
      'trainer.experiment_name': job,
      'trainer.logger': loggersWith(training.set),
      'trainer.default_local_dir': `${folders.job}/${verlCheckpointFolder}`,
      '+trainer.v1.sampler.sampler_kwargs.rollouts_folder': `${folders.job}/${rolloutsFolder}`,
      'trainer.total_epochs': settings.epochs,
      'trainer.total_training_steps': settings.steps.total,
      'trainer.save_freq': settings.saveSteps,
      'trainer.test_freq': files.validationRows === 0 ? -1 : Math.max(1, settings.steps.per_epoch),
      'trainer.val_before_train': files.validationRows > 0,
      'trainer.resume_mode': 'auto',
      'trainer.nnodes': training.nodes,
      'trainer.n_gpus_per_node': processesPerNode,
      ...(settings.gpusPerNode === 0 ? cpuKeys : {}),
    },
    training.set,
  );
}

function actorKeys({ training, cutoffLen }: JobSettings): Record<string, JsonValue> {
  const rl = rlFigures(training);
  const keys = {
    strategy: 'fsdp',
    'optim.lr': rl.learning_rate,
    'optim.lr_warmup_steps': rl.warmup_steps,
    'optim.weight_decay': rl.weight_decay,
    ppo_mini_batch_size: rl.mini_batch,
    use_dynamic_bsz: true,
    ppo_max_token_len_per_gpu: cutoffLen,
    clip_ratio_low: rl.clip_low,
    clip_ratio_high: rl.clip_high,
    clip_ratio_c: rl.clip_c,
    loss_agg_mode: 'token-mean',
    use_kl_loss: rl.kl_coefficient > 0,
    kl_loss_coef: rl.kl_coefficient,
    kl_loss_type: 'low_var_kl',
    // Monitors the training: entropy near zero means that the model no longer explores.
    calculate_entropy: true,
    'fsdp_config.param_offload': true,
    'fsdp_config.optimizer_offload': true,
    'checkpoint.save_contents': ['model', 'optimizer', 'extra', 'hf_model'],
  };
  return {
    ...Object.fromEntries(
      Object.entries(keys).map(([key, value]) => [`actor_rollout_ref.actor.${key}`, value]),
    ),
    'actor_rollout_ref.ref.fsdp_config.param_offload': true,
  };
}

/** The critic starts with the actor's weights. */
function criticKeys({ training, cutoffLen }: JobSettings): Record<string, JsonValue> {
  const rl = rlFigures(training);
  return {
    'critic.model.path': training.model,
    'critic.optim.lr': rl.critic_learning_rate,
    'critic.optim.lr_warmup_steps_ratio': 0.05,
    'critic.use_dynamic_bsz': true,
    'critic.ppo_max_token_len_per_gpu': cutoffLen,
    'critic.fsdp.param_offload': true,
    'critic.fsdp.optimizer_offload': true,
  };
}

/** Settings without GPUs; platform and rollout engine must come from a plug-in, which verl does not include. */
const cpuKeys: Readonly<Record<string, JsonValue>> = {
  'trainer.device': 'cpu',
  'actor_rollout_ref.actor.strategy': 'fsdp2',
  'actor_rollout_ref.actor.use_torch_compile': false,
  'actor_rollout_ref.actor.fsdp_config.use_torch_compile': false,
  '+actor_rollout_ref.actor.fsdp_config.mixed_precision': {
    param_dtype: 'fp32',
    reduce_dtype: 'fp32',
    buffer_dtype: 'fp32',
  },
  '+actor_rollout_ref.model.override_config.attn_implementation': 'sdpa',
  'actor_rollout_ref.rollout.free_cache_engine': false,
  'actor_rollout_ref.rollout.load_format': 'auto',
  'data.dataloader_num_workers': 0,
  // Ray counts devices that verl takes for a GPU.
  '+ray_kwargs.ray_init.num_gpus': 1,
};

const loop = 'rollouts are played by the dataset’s own loop, and this would replace or change it';

/** Settings of verl's reinforcement learning trainer. */
export const verlRlSettings: SettingRules = {
  ...verlSettings,
  schedulers: ['cosine', 'constant', 'linear'],
  wholeEpochs: false,
  modelKey: 'actor_rollout_ref.model.path',
  expectedKey: "a key of verl's configuration with dots, such as actor_rollout_ref.rollout.max_num_seqs",
  refusedKeys: {
    ...refusedFor(
      refusals.rows,
      'data.train_files data.val_files data.custom_cls. data.prompt_key data.truncation',
    ),
    ...refusedFor(
      loop,
      'actor_rollout_ref.rollout.agent.agent_loop_config_path actor_rollout_ref.rollout.agent.default_agent_loop',
      'actor_rollout_ref.rollout.multi_turn. actor_rollout_ref.rollout.skip_tokenizer_init reward.custom_reward_function.',
      'trainer.use_v1 trainer.v1.trainer_mode trainer.v1.sampler.custom_sampler. trainer.v1.sampler.sampler_kwargs.',
      'trainer.v1.sampler.sync_refill_failed_groups',
    ),
    ...refusedByVerl,
    ...refusedFor(refusals.folder, 'trainer.rollout_data_dir'),
    'actor_rollout_ref.model.path': setInstead('model'),
    'algorithm.adv_estimator': setInstead('rl.algorithm'),
    'algorithm.filter_groups.': setInstead('rl.algorithm'),
    'data.train_batch_size': setInstead('rl.prompts_per_step'),
    'data.max_prompt_length': setInstead('rl.max_prompt_tokens'),
    'data.max_response_length': setInstead('rl.max_response_tokens'),
    'actor_rollout_ref.rollout.n': setInstead('rl.rollouts'),
    'actor_rollout_ref.actor.optim.lr': setInstead('rl.learning_rate'),
    'trainer.total_epochs': setInstead('rl.epochs'),
  },
};
