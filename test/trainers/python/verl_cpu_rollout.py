"""A rollout engine for verl's reinforcement learning that needs no GPU, for tests: transformers, with the trained weights.

    PYTHONPATH=<this folder> VERL_USE_EXTERNAL_MODULES=verl_cpu_rollout VERL_PLATFORM=cpu VERL_ENGINE_DEVICE=cuda
    actor_rollout_ref.rollout.name=scripted_cpu +ray_kwargs.ray_init.num_gpus=1

It plays scripts: SCRIPTED_TURNS names a JSON file {"scripts": [[turn, ...], ...]}; the n-th trajectory of a prompt plays
script n, counted from 0 with every version of the weights. The log-probabilities are those of the current weights.
"""

import json
import os
from collections import Counter

import ray
import torch
import verl_cpu_platform
from verl.workers.rollout import base
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, RolloutReplicaRegistry, TokenOutput

# verl asks Ray for a GPU a worker; Ray is told that there is one.
verl_cpu_platform.CpuPlatform.ray_resource_name = lambda self: "GPU"


class Engine:
    """What agent loops ask for tokens: a Ray actor with its own copy of the weights."""

    def __init__(self, path):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(path)
        self.model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        self.steps = 0
        with open(os.environ["SCRIPTED_TURNS"], encoding="utf-8") as file:
            self.scripts = json.load(file)["scripts"]
        self.begun = {}
        self.counted = Counter()

    def load(self, weights, global_steps):
        result = self.model.load_state_dict(weights, strict=False)
        assert not result.unexpected_keys, result
        self.steps = global_steps or self.steps
        self.counted.clear()

    def nothing(self, *_args, **_kwargs):
        return None

    wake_up = sleep = clear_kv_cache = abort_all_requests = resume_generation = nothing
    wait_for_requests_to_drain = resume_kv_cache = release_kv_cache = set_global_steps = nothing

    def next_turn(self, prompt_ids):
        """verl makes up an id for every request, so a trajectory is known by the tokens that it begins with."""
        for begin in list(self.begun):
            if tuple(prompt_ids[: len(begin)]) == begin and self.begun[begin]:
                return self.begun[begin].pop(0)
        prompt = tuple(prompt_ids)
        self.counted[prompt] += 1
        return (self.counted[prompt] - 1) % len(self.scripts), 0

    @torch.no_grad()
    def log_probs(self, prompt_ids, new, temperature):
        logits = self.model(torch.tensor([prompt_ids + new])).logits[0, len(prompt_ids) - 1 : -1].float()
        return torch.log_softmax(logits / temperature, -1).gather(1, torch.tensor(new)[:, None])[:, 0].tolist()

    def generate(self, request_id, prompt_ids, sampling_params, **_):
        prompt_ids = list(prompt_ids)
        script, turn = self.next_turn(prompt_ids)
        new = self.tokenizer.encode(self.scripts[script][turn], add_special_tokens=False)
        new = new[: sampling_params["max_tokens"]]
        if turn + 1 < len(self.scripts[script]):
            self.begun.setdefault(tuple(prompt_ids + new), []).append((script, turn + 1))
        logs = self.log_probs(prompt_ids, new, sampling_params["temperature"])
        return TokenOutput(token_ids=new, log_probs=logs, extra_fields={"global_steps": self.steps})


class Replica(RolloutReplica):
    async def launch_servers(self):
        name = f"scripted_cpu_{self.replica_rank}"
        path = self.model_config["path"] if isinstance(self.model_config, dict) else self.model_config.path
        self._server_handle = ray.remote(Engine).options(name=name, num_cpus=0).remote(path)
        self._server_address = name
        self.servers = [self._server_handle]


class Adapter(BaseRollout):
    """Lives beside the trained model, and hands its weights to the engine."""

    async def resume(self, tags):
        pass

    async def release(self):
        pass

    async def update_weights(self, weights, global_steps=None, **_):
        named = {}
        for name, tensor in weights:
            whole = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
            named[name] = whole.detach().cpu().float().clone()
        if os.environ.get("RANK", "0") == "0":
            await ray.get_actor("scripted_cpu_0").load.remote(named, global_steps)


RolloutReplicaRegistry.register("scripted_cpu", lambda: Replica)
base._ROLLOUT_REGISTRY[("scripted_cpu", "async")] = "verl_cpu_rollout.Adapter"
