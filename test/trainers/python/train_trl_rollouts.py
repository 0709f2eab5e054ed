"""Trains by TRL's own GRPOTrainer with our rollouts on a CPU: REQUEST.json -> one line of JSON.

Two steps with scripted turns, of which it tells what was trained with which advantage; then with a limit that the failures
exceed. `trl_grpo.py` as a program, with real sampling: see rlTrlJob.test.ts.
"""

import asyncio
import json
import sys
from dataclasses import asdict
from types import SimpleNamespace

import torch
import trl_grpo
from coa_loop import Environment, RolloutFailure, Sampled
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

with open(sys.argv[1], encoding="utf-8") as file:
    request = json.load(file)
tokenizer = AutoTokenizer.from_pretrained(request["model"])
settings = {
    "use_cpu": True,
    "bf16": False,
    "num_generations": 4,
    "per_device_train_batch_size": 4,
    "learning_rate": 1e-3,
    "report_to": [],
    "logging_steps": 1,
    "beta": 0.0,
    "gradient_checkpointing": False,
    "shuffle_dataset": False,
}


def samples_alike(trainer):
    """Whether the same tokens are sampled where the model's own settings would have it repeat what is there."""
    sampled = []
    for own in ({}, {"repetition_penalty": 0.01, "top_k": 1, "temperature": 0.01}):
        trainer.model.generation_config.update(**own)
        torch.manual_seed(1)
        sampled.append(real_engine(trainer)([([40, 41], 24)] * 2, ["</answer>"]))
    return sampled[0] == sampled[1]


def until_end():
    """Rows that ended by either token that ends a text, and are padded."""
    end, pad = tokenizer.convert_tokens_to_ids(["<|im_end|>", "<|endoftext|>"])
    return [trl_grpo._until_end(tokenizer, ids, ["</answer>"]) for ids in ([40, end, pad, pad], [40, pad, pad], [40, 41])]


def vllm_says():
    """What vLLM said of the end of a generation goes on to the loop."""
    entries = [{40: SimpleNamespace(logprob=-0.5)}]
    output = SimpleNamespace(token_ids=(40,), logprobs=entries, finish_reason="abort")
    return asdict(trl_grpo._of_vllm(output))


def whole_step_counts():
    """Failures in front of a step of more rollouts than the window holds."""
    failed = [RolloutFailure("tool", "down", "gone")] * 100
    try:
        trl_grpo.Limits(max_failed_share=0.1).count([*failed, *[None] * 400])
    except SystemExit as error:
        return str(error)


async def sampled_in_order():
    """Three rollouts, the last of which asks first."""
    asked = []

    def engine(requests, _stops):
        asked.extend(ids for ids, _ in requests)
        return [Sampled(ids) for ids, _ in requests]

    batched = trl_grpo.Batched(engine, 3)
    tasks = [asyncio.create_task(batched.sampler(at)([at], ["x"], 1)) for at in (2, 0, 1)]
    return [sampled.token_ids for sampled in await asyncio.gather(*tasks)], asked


def scripted_engine(_trainer, scripts):
    """The n-th rollout of a prompt plays script n."""
    begun = {}

    def sample(requests, stops):
        turns = []
        for ids, most in requests:
            key = next((key for key in begun if begun[key] and ids[: len(key)] == list(key)), None)
            script, turn = begun[key].pop(0) if key else (fresh(tuple(ids)), 0)
            new = tokenizer.encode(scripts[script][turn], add_special_tokens=False)[:most]
            begun.setdefault(tuple(ids + new), []).append((script, turn + 1))
            turns.append(Sampled(new))
        return turns

    counted = {}

    def fresh(prompt):
        counted[prompt] = counted.get(prompt, -1) + 1
        return counted[prompt]

    return sample


real_engine = trl_grpo.transformers_engine


def train(steps, limits, scripts=request["scripts"]):
    trl_grpo.transformers_engine = lambda trainer: scripted_engine(trainer, scripts)
    rollouts = trl_grpo.CoaRollouts(Environment(retries=1, pause_s=0.01), limits)
    trainer = GRPOTrainer(
        model=request["model"],
        reward_funcs=trl_grpo.coa_reward,
        args=GRPOConfig(**settings, output_dir="scripted", max_steps=steps, max_completion_length=128, save_strategy="no"),
        train_dataset=trl_grpo.load_tasks([request["tasks"]]),
        processing_class=tokenizer,
        rollout_func=rollouts,
    )
    batches, compute_loss = [], trainer._compute_loss

    def spy(model, inputs):
        batches.append({name: value.clone() for name, value in inputs.items() if torch.is_tensor(value)})
        return compute_loss(model, inputs)

    trainer._compute_loss = spy
    trainer.train()
    return trainer, [rows_of(batch) for batch in batches]


def rows_of(batch):
    rows = []
    for at in range(len(batch["completion_ids"])):
        mask = (batch["completion_mask"][at] * batch["tool_mask"][at]).bool()
        text = tokenizer.decode(batch["completion_ids"][at][mask])
        rows.append({"trained": text, "advantage": float(batch["advantages"].flatten()[at])})
    return rows


trainer, batches = train(2, trl_grpo.Limits(max_failed_share=0.5))
try:
    train(2, trl_grpo.Limits(max_failed_share=0.1))
    ended = None
except SystemExit as error:
    ended = str(error)
unscored, _ = train(1, trl_grpo.Limits(max_unscored_share=1), [["<answer>UNSCORED</answer>"]] * 4)
untouched = AutoModelForCausalLM.from_pretrained(request["model"], dtype=torch.float32).state_dict()
result = {
    "batches": batches,
    "history": trainer.state.log_history,
    "ended": ended,
    "samples_alike": samples_alike(trainer),
    "until_end": until_end(),
    "vllm_says": vllm_says(),
    "whole_step": whole_step_counts(),
    "order": asyncio.run(sampled_in_order()),
    "unscored": {
        "loss": unscored.state.log_history[0]["loss"],
        "changed": sum(not torch.equal(value, untouched[name]) for name, value in unscored.model.state_dict().items()),
    },
}
print()
print(json.dumps(result))
