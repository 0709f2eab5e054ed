import type { TrainerArguments } from '../../../contract/trainer.ts';

/**
 * The keys of verl's SFT configuration, with FSDP as its engine. Those with + are missing in it, and fields of the class
 * that is made from it.
 */
export const verlArguments: TrainerArguments = {
  recordedWith: {},
  recordedFor: { engine: 'fsdp', optim: 'fsdp' },
  recorded: `
+checkpoint.async_save +checkpoint.save_lora_only +checkpoint.strict +data.* +data.apply_chat_template_kwargs.*
+data.custom_cls.* +engine.infer_max_token_len_per_gpu +engine.infer_micro_batch_size_per_gpu
+engine.max_token_len_per_gpu +engine.micro_batch_size_per_gpu +engine.mixed_precision +engine.mixed_precision.*
+engine.router_replay +engine.turbo_config.* +engine.turbo_config.distributed.*
+engine.turbo_config.distributed.fsdp_plan.* +engine.use_dynamic_bsz +engine.use_fused_kernels
+engine.use_remove_padding +engine.wrap_policy.* +model.architectures +model.fused_kernel_options.*
+model.generation_config +model.hf_config +model.load_tokenizer +model.local_hf_config_path +model.local_path
+model.local_tokenizer_path +model.lora.* +model.model_type +model.override_config.* +model.processor
+model.target_parameters +model.tiled_mlp.* +model.tokenizer +optim.grad_clip +optim.override_optimizer_config.*
+profiler.global_tool_config +profiler.tool_config.* +profiler.tool_config.precision_debugger.strict
+profiler.tool_config.torch.schedule.name +trainer.* checkpoint checkpoint.load_contents checkpoint.save_contents
data data.apply_chat_template_kwargs data.balance_dp_token data.custom_cls data.custom_cls.name data.custom_cls.path
data.enable_thinking_default data.enable_thinking_key data.ignore_input_ids_mismatch data.max_length
data.max_token_len_per_gpu data.messages_key data.micro_batch_size_per_gpu data.num_workers data.pad_mode
data.tools_key data.train_batch_size data.train_files data.train_max_samples data.truncation data.use_dynamic_bsz
data.use_shm data.val_files data.val_max_samples engine engine.dtype engine.entropy_checkpointing
engine.entropy_from_logits_chunk_size engine.entropy_from_logits_with_chunking engine.forward_only
engine.forward_prefetch engine.fsdp_size engine.full_determinism engine.model_dtype engine.offload_policy
engine.optimizer_offload engine.pad_to_length engine.pad_to_length_bucket engine.param_offload engine.qat
engine.qat.activation_observer engine.qat.enable engine.qat.group_size engine.qat.ignore_patterns engine.qat.mode
engine.qat.quantization_config_path engine.reshard_after_forward engine.seed engine.strategy engine.turbo_config
engine.turbo_config.distributed engine.turbo_config.distributed.expert_fully_shard_parallel_size
engine.turbo_config.distributed.expert_parallel_size engine.turbo_config.distributed.fsdp_plan
engine.turbo_config.distributed.fsdp_plan.fsdp_implementation
engine.turbo_config.distributed.fsdp_plan.num_to_backward_prefetch
engine.turbo_config.distributed.fsdp_plan.num_to_forward_prefetch
engine.turbo_config.distributed.fsdp_plan.output_dtype engine.turbo_config.distributed.fsdp_plan.param_dtype
engine.turbo_config.distributed.fsdp_plan.reduce_dtype engine.turbo_config.distributed.fully_shard_parallel_size
engine.turbo_config.distributed.tensor_parallel_size engine.turbo_config.distributed.ulysses_parallel_size
engine.ulysses_sequence_parallel_size engine.use_no_sync_for_gradient_accumulation engine.use_orig_params
engine.use_torch_compile engine.wrap_policy engine.wrap_policy.min_num_params model model.custom_chat_template
model.enable_activation_offload model.enable_gradient_checkpointing model.exclude_modules model.external_lib
model.fused_kernel_options model.fused_kernel_options.impl_backend model.hf_config_path model.lora
model.lora.a2a_experimental model.lora.adapter_path model.lora.alpha model.lora.dropout model.lora.dropout_position
model.lora.dtype model.lora.exclude_modules model.lora.freeze_language_model model.lora.freeze_vision_model
model.lora.freeze_vision_projection model.lora.lora_A_init_method model.lora.lora_B_init_method model.lora.merge
model.lora.rank model.lora.target_modules model.lora.type model.lora_adapter_path model.lora_alpha model.lora_rank
model.mtp model.mtp.detach_encoder model.mtp.enable model.mtp.enable_rollout model.mtp.enable_train model.mtp.method
model.mtp.mtp_loss_scaling_factor model.mtp.num_speculative_tokens model.mtp.speculative_algorithm
model.mtp.speculative_eagle_topk model.mtp.speculative_num_draft_tokens model.mtp.speculative_num_steps
model.override_config model.path model.target_modules model.tiled_mlp model.tiled_mlp.enabled
model.tiled_mlp.num_shards model.tokenizer_path model.trust_remote_code model.use_fused_kernels model.use_liger
model.use_remove_padding model.use_shm optim optim.betas optim.clip_grad optim.lr optim.lr_scheduler_type
optim.lr_warmup_steps optim.lr_warmup_steps_ratio optim.min_lr_ratio optim.num_cycles optim.optimizer
optim.optimizer_impl optim.override_optimizer_config optim.total_training_steps optim.warmup_style
optim.weight_decay optim.zero_indexed_step profiler profiler.all_ranks profiler.enable
profiler.finish_hook_all_ranks profiler.finish_hook_cmd profiler.finish_hook_ranks profiler.ranks
profiler.relocate_results profiler.save_path profiler.tool profiler.tool_config profiler.tool_config.npu
profiler.tool_config.npu.analysis profiler.tool_config.npu.contents profiler.tool_config.npu.discrete
profiler.tool_config.npu.level profiler.tool_config.npu.name profiler.tool_config.npu.profile_token_end
profiler.tool_config.npu.profile_token_start profiler.tool_config.nsys profiler.tool_config.nsys.discrete
profiler.tool_config.nsys.name profiler.tool_config.precision_debugger
profiler.tool_config.precision_debugger.config_path profiler.tool_config.precision_debugger.name
profiler.tool_config.precision_debugger.stages profiler.tool_config.precision_debugger.steps
profiler.tool_config.torch profiler.tool_config.torch.contents profiler.tool_config.torch.discrete
profiler.tool_config.torch.name profiler.tool_config.torch.profile_token_end
profiler.tool_config.torch.profile_token_start profiler.tool_config.torch.schedule
profiler.tool_config.torch.schedule.active profiler.tool_config.torch.schedule.repeat
profiler.tool_config.torch.schedule.skip_first profiler.tool_config.torch.schedule.wait
profiler.tool_config.torch.schedule.warmup profiler.tool_config.torch_memory
profiler.tool_config.torch_memory.memory_snapshot_num_steps profiler.tool_config.torch_memory.name
profiler.tool_config.torch_memory.stack_depth profiler.tool_config.torch_memory.trace_alloc_max_entries trainer
trainer.balance_batch trainer.default_hdfs_dir trainer.default_local_dir trainer.device trainer.experiment_name
trainer.logger trainer.max_ckpt_to_keep trainer.n_gpus_per_node trainer.nnodes trainer.profile_interval
trainer.project_name trainer.resume_from_path trainer.resume_mode trainer.save_freq trainer.seed trainer.test_freq
trainer.total_epochs trainer.total_training_steps
`
    .trim()
    .split(/\s+/),
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
