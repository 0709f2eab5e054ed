import type { TrainerArguments } from '../../../contract/trainer.ts';

/**
 * The keys of verl's configuration of reinforcement learning, with FSDP as its engine. Sections that hardly anybody sets
 * are taken as a whole, and so is what is added to it with +.
 */
export const verlRlArguments: TrainerArguments = {
  recordedWith: {},
  recordedFor: {},
  recorded: `
+actor_rollout_ref.* +algorithm.* +critic.* +custom_reward_function.* +data.* +distillation.* +global_profiler.*
+model_engine.* +ray_kwargs.* +reward.* +reward_model.* +sandbox_fusion.* +skip.* +trainer.* +transfer_queue.*
actor_rollout_ref actor_rollout_ref.actor actor_rollout_ref.actor.calculate_entropy
actor_rollout_ref.actor.calculate_sum_pi_squared actor_rollout_ref.actor.checkpoint
actor_rollout_ref.actor.checkpoint.* actor_rollout_ref.actor.clip_ratio actor_rollout_ref.actor.clip_ratio_c
actor_rollout_ref.actor.clip_ratio_high actor_rollout_ref.actor.clip_ratio_low
actor_rollout_ref.actor.data_loader_seed actor_rollout_ref.actor.entropy_checkpointing
actor_rollout_ref.actor.entropy_coeff actor_rollout_ref.actor.entropy_from_logits_chunk_size
actor_rollout_ref.actor.entropy_from_logits_with_chunking actor_rollout_ref.actor.freeze_vision_tower
actor_rollout_ref.actor.fsdp_config actor_rollout_ref.actor.fsdp_config.* actor_rollout_ref.actor.grad_clip
actor_rollout_ref.actor.kl_loss_coef actor_rollout_ref.actor.kl_loss_type actor_rollout_ref.actor.loss_agg_mode
actor_rollout_ref.actor.loss_scale_factor actor_rollout_ref.actor.optim actor_rollout_ref.actor.optim.betas
actor_rollout_ref.actor.optim.clip_grad actor_rollout_ref.actor.optim.lr
actor_rollout_ref.actor.optim.lr_scheduler_type actor_rollout_ref.actor.optim.lr_warmup_steps
actor_rollout_ref.actor.optim.lr_warmup_steps_ratio actor_rollout_ref.actor.optim.min_lr_ratio
actor_rollout_ref.actor.optim.num_cycles actor_rollout_ref.actor.optim.optimizer
actor_rollout_ref.actor.optim.optimizer_impl actor_rollout_ref.actor.optim.override_optimizer_config
actor_rollout_ref.actor.optim.total_training_steps actor_rollout_ref.actor.optim.warmup_style
actor_rollout_ref.actor.optim.weight_decay actor_rollout_ref.actor.optim.zero_indexed_step
actor_rollout_ref.actor.pad_to_length actor_rollout_ref.actor.policy_loss actor_rollout_ref.actor.policy_loss.*
actor_rollout_ref.actor.ppo_epochs actor_rollout_ref.actor.ppo_max_token_len_per_gpu
actor_rollout_ref.actor.ppo_micro_batch_size actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu
actor_rollout_ref.actor.ppo_mini_batch_size actor_rollout_ref.actor.profiler actor_rollout_ref.actor.profiler.*
actor_rollout_ref.actor.qat actor_rollout_ref.actor.qat.* actor_rollout_ref.actor.rollout_n
actor_rollout_ref.actor.shuffle actor_rollout_ref.actor.strategy actor_rollout_ref.actor.tau_neg
actor_rollout_ref.actor.tau_pos actor_rollout_ref.actor.ulysses_sequence_parallel_size
actor_rollout_ref.actor.use_dynamic_bsz actor_rollout_ref.actor.use_fused_kernels actor_rollout_ref.actor.use_kl_loss
actor_rollout_ref.actor.use_prefix_grouper actor_rollout_ref.actor.use_remove_padding
actor_rollout_ref.actor.use_torch_compile actor_rollout_ref.hybrid_engine actor_rollout_ref.model
actor_rollout_ref.model.custom_chat_template actor_rollout_ref.model.enable_activation_offload
actor_rollout_ref.model.enable_gradient_checkpointing actor_rollout_ref.model.exclude_modules
actor_rollout_ref.model.external_lib actor_rollout_ref.model.fused_kernel_options
actor_rollout_ref.model.fused_kernel_options.* actor_rollout_ref.model.hf_config_path actor_rollout_ref.model.lora
actor_rollout_ref.model.lora.* actor_rollout_ref.model.lora_adapter_path actor_rollout_ref.model.lora_alpha
actor_rollout_ref.model.lora_rank actor_rollout_ref.model.mtp actor_rollout_ref.model.mtp.*
actor_rollout_ref.model.override_config actor_rollout_ref.model.path actor_rollout_ref.model.target_modules
actor_rollout_ref.model.tiled_mlp actor_rollout_ref.model.tiled_mlp.* actor_rollout_ref.model.tokenizer_path
actor_rollout_ref.model.trust_remote_code actor_rollout_ref.model.use_fused_kernels actor_rollout_ref.model.use_liger
actor_rollout_ref.model.use_remove_padding actor_rollout_ref.model.use_shm actor_rollout_ref.nccl_timeout
actor_rollout_ref.ref actor_rollout_ref.ref.* actor_rollout_ref.rollout actor_rollout_ref.rollout.agent
actor_rollout_ref.rollout.agent.agent_loop_config_path actor_rollout_ref.rollout.agent.custom_async_server
actor_rollout_ref.rollout.agent.custom_async_server.name actor_rollout_ref.rollout.agent.custom_async_server.path
actor_rollout_ref.rollout.agent.default_agent_loop actor_rollout_ref.rollout.agent.num_workers
actor_rollout_ref.rollout.calculate_log_probs actor_rollout_ref.rollout.checkpoint_engine
actor_rollout_ref.rollout.checkpoint_engine.* actor_rollout_ref.rollout.cudagraph_capture_sizes
actor_rollout_ref.rollout.data_parallel_size actor_rollout_ref.rollout.disable_log_stats
actor_rollout_ref.rollout.disaggregation actor_rollout_ref.rollout.disaggregation.*
actor_rollout_ref.rollout.do_sample actor_rollout_ref.rollout.dtype actor_rollout_ref.rollout.enable_chunked_prefill
actor_rollout_ref.rollout.enable_prefix_caching actor_rollout_ref.rollout.enable_rollout_routing_replay
actor_rollout_ref.rollout.enforce_eager actor_rollout_ref.rollout.engine_kwargs
actor_rollout_ref.rollout.engine_kwargs.* actor_rollout_ref.rollout.expert_parallel_size
actor_rollout_ref.rollout.free_cache_engine actor_rollout_ref.rollout.full_determinism
actor_rollout_ref.rollout.gpu_memory_utilization actor_rollout_ref.rollout.ignore_eos
actor_rollout_ref.rollout.layered_summon actor_rollout_ref.rollout.load_format
actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu actor_rollout_ref.rollout.log_prob_micro_batch_size
actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu actor_rollout_ref.rollout.log_prob_use_dynamic_bsz
actor_rollout_ref.rollout.logprobs_mode actor_rollout_ref.rollout.max_model_len
actor_rollout_ref.rollout.max_num_batched_tokens actor_rollout_ref.rollout.max_num_seqs actor_rollout_ref.rollout.mode
actor_rollout_ref.rollout.moe_load_balance_metrics_interval actor_rollout_ref.rollout.mtp
actor_rollout_ref.rollout.mtp.* actor_rollout_ref.rollout.multi_stage_wake_up actor_rollout_ref.rollout.multi_turn
actor_rollout_ref.rollout.multi_turn.* actor_rollout_ref.rollout.n actor_rollout_ref.rollout.n_gpus_per_node
actor_rollout_ref.rollout.name actor_rollout_ref.rollout.nnodes actor_rollout_ref.rollout.over_sample_rate
actor_rollout_ref.rollout.pipeline_model_parallel_size actor_rollout_ref.rollout.profiler
actor_rollout_ref.rollout.profiler.* actor_rollout_ref.rollout.prometheus actor_rollout_ref.rollout.prometheus.*
actor_rollout_ref.rollout.prompt_length actor_rollout_ref.rollout.qat actor_rollout_ref.rollout.qat.*
actor_rollout_ref.rollout.quantization actor_rollout_ref.rollout.quantization.*
actor_rollout_ref.rollout.quantization_config_file actor_rollout_ref.rollout.response_length
actor_rollout_ref.rollout.router_config_path actor_rollout_ref.rollout.scheduling_policy
actor_rollout_ref.rollout.seed actor_rollout_ref.rollout.skip_tokenizer_init actor_rollout_ref.rollout.temperature
actor_rollout_ref.rollout.tensor_model_parallel_size actor_rollout_ref.rollout.top_k actor_rollout_ref.rollout.top_p
actor_rollout_ref.rollout.trace actor_rollout_ref.rollout.trace.* actor_rollout_ref.rollout.val_kwargs
actor_rollout_ref.rollout.val_kwargs.* algorithm algorithm.adv_estimator algorithm.filter_groups
algorithm.filter_groups.enable algorithm.filter_groups.max_inflight_gen_batches
algorithm.filter_groups.max_num_gen_batches algorithm.filter_groups.metric algorithm.gamma algorithm.kl_ctrl
algorithm.kl_ctrl.horizon algorithm.kl_ctrl.kl_coef algorithm.kl_ctrl.target_kl algorithm.kl_ctrl.type
algorithm.kl_penalty algorithm.lam algorithm.norm_adv_by_std_in_grpo algorithm.pf_ppo algorithm.pf_ppo.*
algorithm.rollout_correction algorithm.rollout_correction.* algorithm.use_kl_in_reward algorithm.use_pf_ppo critic
critic.checkpoint critic.checkpoint.* critic.cliprange_value critic.data_loader_seed critic.enable
critic.forward_max_token_len_per_gpu critic.forward_micro_batch_size critic.forward_micro_batch_size_per_gpu
critic.fsdp critic.fsdp.* critic.grad_clip critic.loss_agg_mode critic.loss_scale_factor critic.model
critic.model.custom_chat_template critic.model.enable_activation_offload critic.model.enable_gradient_checkpointing
critic.model.exclude_modules critic.model.external_lib critic.model.fused_kernel_options
critic.model.fused_kernel_options.* critic.model.hf_config_path critic.model.lora critic.model.lora.*
critic.model.lora_adapter_path critic.model.lora_alpha critic.model.lora_rank critic.model.mtp critic.model.mtp.*
critic.model.override_config critic.model.path critic.model.target_modules critic.model.tiled_mlp
critic.model.tiled_mlp.* critic.model.tokenizer_path critic.model.trust_remote_code critic.model.use_fused_kernels
critic.model.use_liger critic.model.use_remove_padding critic.model.use_shm critic.optim critic.optim.betas
critic.optim.clip_grad critic.optim.lr critic.optim.lr_scheduler_type critic.optim.lr_warmup_steps
critic.optim.lr_warmup_steps_ratio critic.optim.min_lr_ratio critic.optim.num_cycles critic.optim.optimizer
critic.optim.optimizer_impl critic.optim.override_optimizer_config critic.optim.total_training_steps
critic.optim.warmup_style critic.optim.weight_decay critic.optim.zero_indexed_step critic.ppo_epochs
critic.ppo_max_token_len_per_gpu critic.ppo_micro_batch_size critic.ppo_micro_batch_size_per_gpu
critic.ppo_mini_batch_size critic.profiler critic.profiler.* critic.rollout_n critic.shuffle critic.strategy
critic.ulysses_sequence_parallel_size critic.use_dynamic_bsz custom_reward_function custom_reward_function.name
custom_reward_function.path data data.apply_chat_template_kwargs data.audio_key data.custom_cls data.custom_cls.name
data.custom_cls.path data.dataloader_num_workers data.filter_overlong_prompts data.filter_overlong_prompts_workers
data.function_tool_path data.gen_batch_size data.image_key data.image_patch_size data.max_prompt_length
data.max_response_length data.mm_processor_kwargs data.prompt_key data.return_full_prompt
data.return_multi_modal_inputs data.return_raw_chat data.return_raw_input_ids data.reward_fn_key data.seed
data.shuffle data.tokenizer data.tool_config_path data.train_batch_size data.train_files data.train_max_samples
data.truncation data.trust_remote_code data.use_shm data.val_batch_size data.val_files data.val_max_samples
data.validation_shuffle data.video_key distillation distillation.* global_profiler global_profiler.* model_engine
ray_kwargs ray_kwargs.* reward reward.custom_reward_function reward.custom_reward_function.name
reward.custom_reward_function.path reward.num_workers reward.reward_manager reward.reward_manager.*
reward.reward_model reward.reward_model.* reward.sandbox_fusion reward.sandbox_fusion.max_concurrent
reward.sandbox_fusion.memory_limit_mb reward.sandbox_fusion.url reward_model reward_model.* sandbox_fusion
sandbox_fusion.max_concurrent sandbox_fusion.memory_limit_mb sandbox_fusion.url skip skip.* trainer
trainer.balance_batch trainer.checkpoint_callback_class trainer.critic_warmup trainer.default_hdfs_dir
trainer.default_local_dir trainer.del_local_ckpt_after_load trainer.device trainer.esi_redundant_time
trainer.experiment_name trainer.log_val_generations trainer.logger trainer.max_actor_ckpt_to_keep
trainer.max_critic_ckpt_to_keep trainer.n_gpus_per_node trainer.nnodes trainer.project_name
trainer.ray_wait_register_center_timeout trainer.resume_from_path trainer.resume_mode trainer.rollout_data_dir
trainer.save_freq trainer.test_freq trainer.total_epochs trainer.total_training_steps trainer.use_v1 trainer.v1
trainer.v1.colocate_async trainer.v1.colocate_async.* trainer.v1.sampler trainer.v1.sampler.custom_sampler
trainer.v1.sampler.custom_sampler.name trainer.v1.sampler.custom_sampler.path
trainer.v1.sampler.max_off_policy_strategy trainer.v1.sampler.max_off_policy_threshold
trainer.v1.sampler.sampler_kwargs trainer.v1.sampler.sync_refill_failed_groups trainer.v1.separate_async
trainer.v1.separate_async.* trainer.v1.sync trainer.v1.trainer_mode trainer.val_before_train trainer.val_only
trainer.validation_data_dir transfer_queue transfer_queue.*
`
    .trim()
    .split(/\s+/),
  program: `
def known_arguments(keys):
    from hydra import compose, initialize_config_module
    from omegaconf import DictConfig

    # Sections that are taken as a whole: what stands in them is told by verl itself.
    whole = set("""
        checkpoint checkpoint_engine colocate_async disaggregation distillation engine_kwargs fsdp
        fsdp_config fused_kernel_options global_profiler lora mtp multi_turn pf_ppo policy_loss
        profiler prometheus qat quantization ray_kwargs ref reward_manager reward_model
        rollout_correction separate_async skip tiled_mlp trace transfer_queue turbo_config
        val_kwargs
    """.split())

    def below(node, prefix):
        for name in node:
            if name == "_target_":
                continue
            yield prefix + name
            if name in whole:
                yield f"{prefix}{name}.*"
                continue
            child = node._get_node(name)
            if isinstance(child, DictConfig) and not child._is_none() and not child._is_interpolation():
                yield from below(child, f"{prefix}{name}.")

    with initialize_config_module("verl.trainer.config", version_base=None):
        config = compose("ppo_trainer")
    return sorted({*below(config, ""), *(f"+{section}.*" for section in config)})
`,
};
