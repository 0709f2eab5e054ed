import type { TrainerArguments } from '../../../contract/trainer.ts';

/**
 * The keys of a configuration of verl, by section: `name*` is a key with whatever stands below it, `*` what else there is
 * in the section, and + stands before what has to be added.
 */
function keysOf(sections: string): string[] {
  let section = '';
  const keys = sections
    .trim()
    .split(/\s+/)
    .flatMap((word) => {
      if (word.endsWith(':')) {
        section = word.slice(0, -1);
        return section.split('.').map((_, at, names) => names.slice(0, at + 1).join('.'));
      }
      const [, plus = '', name = '', all] = /^(\+?)([^*]*)(\*?)$/.exec(word)!;
      const key = plus + [section, name].filter((part) => part !== '').join('.');
      return [...(name === '' ? [] : [key]), ...(all === '' ? [] : [`${key}.*`])];
    });
  return [...new Set(keys)];
}

/** The keys of verl's SFT configuration, with FSDP as its engine. Those with + are fields of the class that is made from it. */
export const verlArguments: TrainerArguments = {
  recordedFor: { engine: 'fsdp', optim: 'fsdp' },
  recorded: keysOf(`
checkpoint: +async_save +save_lora_only +strict load_contents save_contents
data: +* balance_dp_token enable_thinking_default enable_thinking_key ignore_input_ids_mismatch max_length
  max_token_len_per_gpu messages_key micro_batch_size_per_gpu num_workers pad_mode tools_key train_batch_size
  train_files train_max_samples truncation use_dynamic_bsz use_shm val_files val_max_samples
data.apply_chat_template_kwargs: +*
data.custom_cls: +* name path
engine: +infer_max_token_len_per_gpu +infer_micro_batch_size_per_gpu +max_token_len_per_gpu
  +micro_batch_size_per_gpu +mixed_precision* +router_replay +use_dynamic_bsz +use_fused_kernels
  +use_remove_padding dtype entropy_checkpointing entropy_from_logits_chunk_size
  entropy_from_logits_with_chunking forward_only forward_prefetch fsdp_size full_determinism model_dtype
  offload_policy optimizer_offload pad_to_length pad_to_length_bucket param_offload reshard_after_forward
  seed strategy ulysses_sequence_parallel_size use_no_sync_for_gradient_accumulation use_orig_params
  use_torch_compile
engine.qat: activation_observer enable group_size ignore_patterns mode quantization_config_path
engine.turbo_config: +*
engine.turbo_config.distributed: +* expert_fully_shard_parallel_size expert_parallel_size
  fully_shard_parallel_size tensor_parallel_size ulysses_parallel_size
engine.turbo_config.distributed.fsdp_plan: +* fsdp_implementation num_to_backward_prefetch
  num_to_forward_prefetch output_dtype param_dtype reduce_dtype
engine.wrap_policy: +* min_num_params
model: +architectures +generation_config +hf_config +load_tokenizer +local_hf_config_path +local_path
  +local_tokenizer_path +model_type +processor +target_parameters +tokenizer custom_chat_template
  enable_activation_offload enable_gradient_checkpointing exclude_modules external_lib hf_config_path
  lora_adapter_path lora_alpha lora_rank path target_modules tokenizer_path trust_remote_code
  use_fused_kernels use_liger use_remove_padding use_shm
model.fused_kernel_options: +* impl_backend
model.lora: +* a2a_experimental adapter_path alpha dropout dropout_position dtype exclude_modules
  freeze_language_model freeze_vision_model freeze_vision_projection lora_A_init_method lora_B_init_method
  merge rank target_modules type
model.mtp: detach_encoder enable enable_rollout enable_train method mtp_loss_scaling_factor
  num_speculative_tokens speculative_algorithm speculative_eagle_topk speculative_num_draft_tokens
  speculative_num_steps
model.override_config: +*
model.tiled_mlp: +* enabled num_shards
optim: +grad_clip betas clip_grad lr lr_scheduler_type lr_warmup_steps lr_warmup_steps_ratio min_lr_ratio
  num_cycles optimizer optimizer_impl total_training_steps warmup_style weight_decay zero_indexed_step
optim.override_optimizer_config: +*
profiler: +global_tool_config all_ranks enable finish_hook_all_ranks finish_hook_cmd finish_hook_ranks ranks
  relocate_results save_path tool
profiler.tool_config: +*
profiler.tool_config.npu: analysis contents discrete level name profile_token_end profile_token_start
profiler.tool_config.nsys: discrete name
profiler.tool_config.precision_debugger: +strict config_path name stages steps
profiler.tool_config.torch: contents discrete name profile_token_end profile_token_start
profiler.tool_config.torch.schedule: +name active repeat skip_first wait warmup
profiler.tool_config.torch_memory: memory_snapshot_num_steps name stack_depth trace_alloc_max_entries
trainer: +* balance_batch default_hdfs_dir default_local_dir device experiment_name logger max_ckpt_to_keep
  n_gpus_per_node nnodes profile_interval project_name resume_from_path resume_mode save_freq seed test_freq
  total_epochs total_training_steps`),
  program: `
def known_arguments(keys):
    import dataclasses

    from hydra import compose, initialize_config_module
    from hydra.utils import get_class
    from omegaconf import DictConfig

    def below(node, prefix):
        for name in node:
            if name == "_target_":
                continue
            yield prefix + name
            child = node._get_node(name)
            if isinstance(child, DictConfig) and not child._is_none() and not child._is_interpolation():
                yield from below(child, f"{prefix}{name}.")
        if "_target_" not in node:
            # Nothing says what may be added here; at the top nothing is.
            yield from [f"+{prefix}*"] if prefix else []
            return
        for field in dataclasses.fields(get_class(node["_target_"])):
            if field.init and field.name not in node:
                yield f"+{prefix}{field.name}"
            if field.init and "dict" in str(field.type).lower():
                yield f"+{prefix}{field.name}.*"

    chosen = [f"{key}={keys[key]}" for key in ("engine", "optim", "model", "profiler") if isinstance(keys.get(key), str)]
    with initialize_config_module("verl.trainer.config", version_base=None):
        return sorted(set(below(compose("sft_trainer_engine", overrides=chosen), "")))
`,
};

/** The same of reinforcement learning. Sections that hardly anybody sets are taken whole, and so is what + adds. */
export const verlRlArguments: TrainerArguments = {
  recorded: keysOf(`
critic: +* * custom_reward_function: +* * distillation: +* * global_profiler: +* * model_engine: +*
ray_kwargs: +* * reward: +* * reward_model: +* * sandbox_fusion: +* * skip: +* * transfer_queue: +* *
actor_rollout_ref: +* hybrid_engine nccl_timeout ref*
actor_rollout_ref.actor: calculate_entropy calculate_sum_pi_squared checkpoint* clip_ratio clip_ratio_c
  clip_ratio_high clip_ratio_low data_loader_seed entropy_checkpointing entropy_coeff
  entropy_from_logits_chunk_size entropy_from_logits_with_chunking freeze_vision_tower fsdp_config* grad_clip
  kl_loss_coef kl_loss_type loss_agg_mode loss_scale_factor optim* pad_to_length policy_loss* ppo_epochs
  ppo_max_token_len_per_gpu ppo_micro_batch_size ppo_micro_batch_size_per_gpu ppo_mini_batch_size profiler* qat*
  rollout_n shuffle strategy tau_neg tau_pos ulysses_sequence_parallel_size use_dynamic_bsz use_fused_kernels
  use_kl_loss use_prefix_grouper use_remove_padding use_torch_compile
actor_rollout_ref.model: custom_chat_template enable_activation_offload enable_gradient_checkpointing
  exclude_modules external_lib fused_kernel_options* hf_config_path lora* lora_adapter_path lora_alpha lora_rank
  mtp* override_config* path target_modules tiled_mlp* tokenizer_path trust_remote_code use_fused_kernels
  use_liger use_remove_padding use_shm
actor_rollout_ref.rollout: agent* calculate_log_probs checkpoint_engine* cudagraph_capture_sizes
  data_parallel_size disable_log_stats disaggregation* do_sample dtype enable_chunked_prefill
  enable_prefix_caching enable_rollout_routing_replay enforce_eager engine_kwargs* expert_parallel_size
  free_cache_engine full_determinism gpu_memory_utilization ignore_eos layered_summon load_format
  log_prob_max_token_len_per_gpu log_prob_micro_batch_size log_prob_micro_batch_size_per_gpu
  log_prob_use_dynamic_bsz logprobs_mode max_model_len max_num_batched_tokens max_num_seqs mode
  moe_load_balance_metrics_interval mtp* multi_stage_wake_up multi_turn* n n_gpus_per_node name nnodes
  over_sample_rate pipeline_model_parallel_size profiler* prometheus* prompt_length qat* quantization*
  quantization_config_file response_length router_config_path scheduling_policy seed skip_tokenizer_init
  temperature tensor_model_parallel_size top_k top_p trace* val_kwargs*
algorithm: +* adv_estimator filter_groups* gamma kl_ctrl* kl_penalty lam norm_adv_by_std_in_grpo pf_ppo*
  rollout_correction* use_kl_in_reward use_pf_ppo
data: +* apply_chat_template_kwargs* audio_key custom_cls* dataloader_num_workers filter_overlong_prompts
  filter_overlong_prompts_workers function_tool_path gen_batch_size image_key image_patch_size
  max_prompt_length max_response_length mm_processor_kwargs* prompt_key return_full_prompt
  return_multi_modal_inputs return_raw_chat return_raw_input_ids reward_fn_key seed shuffle tokenizer
  tool_config_path train_batch_size train_files train_max_samples truncation trust_remote_code use_shm
  val_batch_size val_files val_max_samples validation_shuffle video_key
trainer: +* balance_batch checkpoint_callback_class critic_warmup default_hdfs_dir default_local_dir
  del_local_ckpt_after_load device esi_redundant_time experiment_name log_val_generations logger
  max_actor_ckpt_to_keep max_critic_ckpt_to_keep n_gpus_per_node nnodes project_name
  ray_wait_register_center_timeout resume_from_path resume_mode rollout_data_dir save_freq test_freq
  total_epochs total_training_steps use_v1 v1* val_before_train val_only validation_data_dir`),
  program: `
def known_arguments(keys):
    from hydra import compose, initialize_config_module
    from omegaconf import DictConfig

    def is_section(child):
        return isinstance(child, DictConfig) and not child._is_none() and not child._is_interpolation()

    opened = ("actor_rollout_ref", "actor_rollout_ref.actor", "actor_rollout_ref.model", "actor_rollout_ref.rollout")
    opened += ("algorithm", "data", "trainer")

    def below(node, prefix):
        for name in node:
            if name == "_target_":
                continue
            yield prefix + name
            child = node._get_node(name)
            if prefix + name in opened:
                yield from below(child, f"{prefix}{name}.")
            # These three are others' sections, which stand here as references.
            elif name in ("mtp", "qat", "quantization") or is_section(child):
                yield f"{prefix}{name}.*"

    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose("ppo_trainer")
    return sorted({*below(config, ""), *(f"+{section}.*" for section in config)})
`,
};
