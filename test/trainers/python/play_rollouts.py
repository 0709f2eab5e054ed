"""Plays trajectories by verl's own AgentLoopWorker, without Ray: REQUEST.json -> one line of JSON.

The request names a model folder, an agent.yaml, and cases: each a prompt, what the engine says of each end, and the turns
that it is to sample, as texts, or as lists of texts that are encoded apart, the way a model samples tokens that no
tokenizer would choose.
"""

import asyncio
import json
import sys

from hydra import compose, initialize_config_module
from transformers import AutoTokenizer
from verl.experimental.agent_loop import AgentLoopWorker
from verl.workers.rollout.replica import TokenOutput

with open(sys.argv[1], encoding="utf-8") as file:
    request = json.load(file)
tokenizer = AutoTokenizer.from_pretrained(request["model"])


class Engine:
    """What verl's server manager is for a loop. Every turn has newer weights than the one before."""

    def __init__(self, turns, stop_reason):
        self.turns, self.stop_reason, self.asked = turns, stop_reason, []

    async def generate(self, request_id, prompt_ids, sampling_params, **_):
        turn = len(self.asked)
        self.asked.append({"request_id": request_id, "prompt_ids": list(prompt_ids), **sampling_params})
        parts = self.turns[turn] if isinstance(self.turns[turn], list) else [self.turns[turn]]
        ids = [token for part in parts for token in tokenizer.encode(part, add_special_tokens=False)]
        ids = ids[: sampling_params["max_tokens"]]
        steps = {"min_global_steps": 3 + turn, "max_global_steps": 4 + turn}
        log_probs = [-0.5 - turn] * len(ids)
        return TokenOutput(token_ids=ids, log_probs=log_probs, stop_reason=self.stop_reason, extra_fields=steps)


async def play(worker, case):
    worker.llm_client = engine = Engine(case["turns"], case["stop_reason"])
    outputs = []

    async def keep(output, validate, **_):
        outputs.append(output)

    worker._agent_loop_postprocess = keep
    try:
        await worker._run_agent_loop(
            {"temperature": 1.0, "logprobs": True},
            {"step": 1, "sample_index": 0, "rollout_n": 0, "validate": False},
            agent_name="coa_agent",
            trace=False,
            raw_prompt=[{"role": "user", "content": case["prompt"]}],
            extra_info={"index": case["name"], "profile": "mhqa"},
            global_steps=7,
        )
    except Exception as error:
        return {"name": case["name"], "asked": engine.asked, "error": f"{type(error).__name__}: {error}"}
    (output,) = outputs
    return {
        "name": case["name"],
        "asked": engine.asked,
        "prompt": tokenizer.decode(output.prompt_ids),
        "ids": output.response_ids,
        "mask": output.response_mask,
        "logprobs": output.response_logprobs,
        "tokens": [tokenizer.decode([token]) for token in output.response_ids],
        "turns": output.num_turns,
        "extra": output.extra_fields,
        "reward": reward_of(output),
    }


def reward_of(output):
    """By verl's own loading, from a row's columns and what the loop added to them."""
    from verl.trainer.ppo.reward import get_custom_reward_fn

    compute = get_custom_reward_fn(config)
    scored = compute(data_source="s", solution_str="<answer>x</answer>", ground_truth="", extra_info=output.extra_fields)
    return {name: None if value != value else value for name, value in scored.items()}


async def main():
    worker = AgentLoopWorker(config, None)
    return [await play(worker, case) for case in request["cases"]]


overrides = {
    "actor_rollout_ref.model.path": request["model"],
    "actor_rollout_ref.rollout.name": request["engine"],
    "actor_rollout_ref.rollout.agent.agent_loop_config_path": request["agent"],
    "reward.custom_reward_function.path": request["reward"],
    "reward.custom_reward_function.name": "compute_score",
    "data.max_prompt_length": 64,
    "data.max_response_length": 128,
}
with initialize_config_module("verl.trainer.config", version_base=None):
    config = compose("ppo_trainer", overrides=[f"{key}={value}" for key, value in overrides.items()])
played = asyncio.run(main())
print()
print(json.dumps(played))
