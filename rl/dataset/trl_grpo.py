"""GRPO by TRL with Chain-of-Agents rollouts, for one GPU: `coa_loop.py` with TRL's `rollout_func`.

    COA_RL_URL=http://127.0.0.1:7117 python trl_grpo.py --config trl.yaml --model MODEL --tasks train.parquet

The configuration is TRL's own (`GRPOConfig`). A rollout that failed or got no verdict has the reward None: TRL leaves it
out of its group's mean, and its advantage is 0. Sampling: transformers, or vLLM with `use_vllm: true` and
`vllm_mode: colocate`.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import deque
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from coa_loop import (
    Environment,
    Rollout,
    RolloutFailure,
    Sampled,
    Sampler,
    end_ids,
    keep_rollouts,
    note_failure,
    play,
    segments_of,
)
from datasets import Dataset, load_dataset
from transformers import AutoTokenizer, TrainerCallback
from transformers.trainer_utils import get_last_checkpoint
from trl import GRPOConfig, GRPOTrainer, TrlParser
from trl.models import unwrap_model_for_generation

Request = tuple[list[int], int]
"""Ids to sample behind, and the most tokens."""

Engine = Callable[[Sequence[Request], list[str]], list[Sampled]]
"""Samples for several requests at once, each until a stop text or the end of its turn."""


class Batched:
    """Collects what rollouts want sampled, and samples as soon as all that still run are waiting for it.

    They are sampled in the order of the rollouts, whichever tool answers first: with the same seed a step is the same.
    """

    def __init__(self, engine: Engine, running: int) -> None:
        self.engine, self.running = engine, running
        self.waiting: dict[int, tuple[Request, list[str], asyncio.Future[Sampled]]] = {}

    def sampler(self, at: int) -> Sampler:
        """Of the rollout with this number."""

        async def sample(ids: list[int], stops: list[str], most: int) -> Sampled:
            future: asyncio.Future[Sampled] = asyncio.get_running_loop().create_future()
            self.waiting[at] = ((ids, most), stops, future)
            self._sample_if_all_wait()
            return await future

        return sample

    def ended(self) -> None:
        """A rollout that asks for nothing more."""
        self.running -= 1
        self._sample_if_all_wait()

    def _sample_if_all_wait(self) -> None:
        if not self.waiting or len(self.waiting) < self.running:
            return
        waiting = [self.waiting[at] for at in sorted(self.waiting)]
        self.waiting = {}
        stops = sorted({stop for _, own, _ in waiting for stop in own})
        for (_, _, future), sampled in zip(waiting, self.engine([request for request, _, _ in waiting], stops)):
            future.set_result(sampled)


def transformers_engine(trainer: GRPOTrainer) -> Engine:
    tokenizer = trainer.processing_class

    def sample(requests: Sequence[Request], stops: list[str]) -> list[Sampled]:
        longest = max(len(ids) for ids, _ in requests)
        padded = [[tokenizer.pad_token_id] * (longest - len(ids)) + ids for ids, _ in requests]
        mask = [[0] * (longest - len(ids)) + [1] * len(ids) for ids, _ in requests]
        device = trainer.accelerator.device
        sampling = deepcopy(trainer.generation_config)
        sampling.update(
            max_new_tokens=max(most for _, most in requests), stop_strings=stops, eos_token_id=sorted(end_ids(tokenizer))
        )
        # TRL's own way to the weights, whatever shards them. What is in the model's generation_config.json stays out, or
        # a penalty there (Qwen has one) would sample from another distribution than the one that is trained.
        with (
            unwrap_model_for_generation(
                trainer.model_wrapped, trainer.accelerator, generation_kwargs=trainer.generation_kwargs
            ) as model,
            torch.no_grad(),
        ):
            training = model.training
            model.eval()
            output = model.generate(
                input_ids=torch.tensor(padded, device=device),
                attention_mask=torch.tensor(mask, device=device),
                generation_config=sampling,
                tokenizer=tokenizer,
            )
            model.train(training)
        rows = output[:, longest:].tolist()
        # TRL computes the log-probabilities of such rollouts itself.
        return [Sampled(_until_end(tokenizer, row[:most], stops)) for row, (_, most) in zip(rows, requests)]

    return sample


def _until_end(tokenizer: Any, ids: list[int], stops: list[str]) -> list[int]:
    """Without what pads a row behind the token that ended its turn or completed a stop text."""
    known = end_ids(tokenizer)
    first = next((at for at, token in enumerate(ids) if token in known), len(ids))
    ids = ids[: first + 1]
    low, high = 1, len(ids)
    while low < high:
        middle = (low + high) // 2
        text = tokenizer.decode(ids[:middle], skip_special_tokens=False)
        low, high = (low, middle) if any(stop in text for stop in stops) else (middle + 1, high)
    return ids[:low]


def vllm_engine(trainer: GRPOTrainer) -> Engine:
    """TRL's colocated vLLM, asked directly: its own `generate` has one limit and no stop texts for all prompts."""
    if trainer.vllm_generation.mode != "colocate":
        raise SystemExit("trl_grpo.py: vllm_mode: expected colocate")
    from vllm import SamplingParams

    def sample(requests: Sequence[Request], stops: list[str]) -> list[Sampled]:
        params = [
            SamplingParams(
                temperature=trainer.args.temperature,
                top_p=trainer.args.top_p,
                top_k=trainer.args.top_k or -1,
                max_tokens=most,
                stop=stops,
                include_stop_str_in_output=True,
                logprobs=0,
            )
            for _, most in requests
        ]
        prompts = [{"prompt_token_ids": ids} for ids, _ in requests]
        outputs = trainer.vllm_generation.llm.generate(prompts, sampling_params=params, use_tqdm=False)
        return [_of_vllm(output.outputs[0]) for output in outputs]

    return sample


def _of_vllm(output: Any) -> Sampled:
    ids = list(output.token_ids)
    logprobs = [entry[token].logprob for token, entry in zip(ids, output.logprobs)]
    return Sampled(ids, logprobs, output.finish_reason)


@dataclass
class Limits:
    """Shares of the latest rollouts, those of a whole step at least, above which the training ends."""

    max_failed_share: float = 0.1
    max_unscored_share: float = 0.5
    latest: deque[str] = field(default_factory=lambda: deque(maxlen=64))

    def count(self, failures: Sequence[RolloutFailure | None]) -> None:
        """Raises SystemExit where there are too many."""
        self.latest = deque(self.latest, maxlen=max(self.latest.maxlen or 0, len(failures)))
        self.latest.extend("scored" if failure is None else failure.kind for failure in failures)
        unscored = [failure for failure in failures if failure is not None and failure.kind == "unscored"]
        failed = [failure for failure in failures if failure is not None and failure.kind != "unscored"]
        unscored_count = self.latest.count("unscored")
        failed_count = len(self.latest) - self.latest.count("scored") - unscored_count
        self._refuse("failed", failed_count, self.max_failed_share, failed)
        self._refuse("got no verdict", unscored_count, self.max_unscored_share, unscored)

    def _refuse(self, what: str, count: int, most: float, failures: Sequence[RolloutFailure]) -> None:
        if failures and count > most * len(self.latest):
            of = f"{count} of {len(self.latest)} rollouts {what} (limit {most:.0%})"
            raise SystemExit(f"coa-distill: {of}; the first: {failures[0]}")


class CoaRollouts:
    """TRL's `rollout_func`: prompts in, trajectories with their masks and scores out."""

    def __init__(self, environment: Environment, limits: Limits, samples: Path | None = None) -> None:
        self.environment, self.limits, self.samples = environment, limits, samples

    def __call__(self, prompts: Sequence[Sequence[dict[str, str]]], trainer: GRPOTrainer) -> dict[str, list[Any]]:
        return asyncio.run(self._play_all(prompts, trainer))

    async def _play_all(self, prompts: Sequence[Any], trainer: GRPOTrainer) -> dict[str, list[Any]]:
        engine = vllm_engine(trainer) if trainer.use_vllm else transformers_engine(trainer)
        batched = Batched(engine, len(prompts))
        played = await asyncio.gather(*(self._play(at, prompt, trainer, batched) for at, prompt in enumerate(prompts)))
        await self.environment.close()
        self.limits.count([failure for _, failure in played])
        rows = [_row(*outcome, trainer.processing_class, prompt) for outcome, prompt in zip(played, prompts)]
        if self.samples is not None:
            keep_rollouts(self.samples, trainer.state.global_step + 1, rows)
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        if not trainer.use_vllm:
            columns["logprobs"] = None
        return columns

    async def _play(
        self, at: int, prompt: Sequence[dict[str, str]], trainer: GRPOTrainer, batched: Batched
    ) -> tuple[Rollout | None, RolloutFailure | None]:
        tokenizer, task = trainer.processing_class, prompt[0]
        try:
            rollout = await play(
                task_id=task["coa_task"],
                profile=task["coa_profile"] or None,
                prompt_ids=prompt_ids_of(tokenizer, prompt),
                sample=batched.sampler(at),
                environment=self.environment,
                tokenizer=tokenizer,
                max_response_tokens=trainer.args.max_completion_length,
            )
            return rollout, None
        except RolloutFailure as failure:
            note_failure(failure, task["coa_task"], trainer.state.global_step)
            return None, failure
        finally:
            batched.ended()


def _row(rollout: Rollout | None, failure: RolloutFailure | None, tokenizer: Any, prompt: Any) -> dict[str, Any]:
    if rollout is None:
        # TRL wants some token: one that is in no loss and, without a score, in no mean.
        return {
            "prompt_ids": prompt_ids_of(tokenizer, prompt),
            "completion_ids": [tokenizer.eos_token_id],
            "env_mask": [0],
            "logprobs": [0.0],
            "coa_score": None,
            "coa_parts": {},
            "coa_calls": None,
            "coa_end": "failed" if failure is None else failure.kind,
            "coa_task_id": prompt[0]["coa_task"],
            "coa_segments": [],
        }
    return {
        "prompt_ids": rollout.prompt_ids,
        "completion_ids": rollout.response_ids,
        "env_mask": rollout.mask,
        "logprobs": rollout.logprobs,
        "coa_score": rollout.score,
        "coa_parts": rollout.parts,
        "coa_calls": rollout.calls,
        "coa_end": rollout.end_reason,
        "coa_task_id": prompt[0]["coa_task"],
        "coa_segments": segments_of(rollout.pieces),
    }


def prompt_ids_of(tokenizer: Any, prompt: Sequence[dict[str, str]]) -> list[int]:
    messages = [{"role": turn["role"], "content": turn["content"]} for turn in prompt]
    return list(tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=False))


def coa_reward(
    prompts: Sequence[Any], coa_score: list[float | None], log_metric: Callable[[str, float], None], **columns: Any
) -> list[float | None]:
    """The server's score; never looks at completions, which hold what tools said. None: no verdict."""
    scored = [at for at, score in enumerate(coa_score) if score is not None]
    unscored = columns["coa_end"].count("unscored")
    log_metric("coa/failed", len(coa_score) - len(scored) - unscored)
    log_metric("coa/unscored", unscored)
    groups: dict[str, set[float]] = {}
    for at in scored:
        groups.setdefault(prompts[at][0]["coa_task"], set()).add(coa_score[at])
    if groups:
        log_metric("coa/mixed_groups", sum(len(scores) > 1 for scores in groups.values()) / len(groups))
        log_metric("coa/calls", sum(columns["coa_calls"][at] for at in scored) / len(scored))
    for name in sorted({name for parts in columns["coa_parts"] for name in parts}):
        values = [parts[name] for parts in columns["coa_parts"] if parts.get(name) is not None]
        if values:
            log_metric(f"coa/part_{name}", sum(values) / len(values))
    return coa_score


def load_tasks(files: Sequence[str]) -> Dataset:
    """Rows of `verl_rl`. The rollouts are told the prompts alone, so that each carries its task's id."""

    def of(row: dict[str, Any]) -> dict[str, Any]:
        about = row["extra_info"]
        task = {"coa_task": str(about["index"]), "coa_profile": about.get("profile") or ""}
        return {"prompt": [{"role": turn["role"], "content": turn["content"], **task} for turn in row["prompt"]]}

    rows = load_dataset("parquet", data_files=list(files), split="train")
    return rows.map(of, remove_columns=[name for name in rows.column_names if name != "prompt"])


class MetricsFile(TrainerCallback):
    """Appends what TRL logs to a file, a line a step."""

    def __init__(self, path: str) -> None:
        self.path = path

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **_: Any) -> None:
        if not state.is_world_process_zero or not logs:
            return
        line = {"step": state.global_step, "total_steps": state.max_steps, "data": logs}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


@dataclass
class CoaArguments:
    """What TRL's own configuration does not have."""

    model: str = field(metadata={"help": "Name or folder of the model"})
    tasks: list[str] = field(metadata={"help": "Files of the verl_rl dataset"})
    metrics_file: str = "metrics.jsonl"
    rollouts: str | None = field(default="rollouts", metadata={"help": "Folder for what was played, a file a step"})


class CoaTrainer(GRPOTrainer):
    """TRL draws the order of an epoch from one generator that goes on: a resumed job would play other tasks."""

    def _get_train_sampler(self, dataset: Dataset | None = None) -> Any:
        sampler = super()._get_train_sampler(dataset)
        if sampler.shuffle:
            # Accelerate calls it before each epoch, also on a resumed job.
            sampler.set_epoch = lambda epoch: sampler.generator.manual_seed(sampler.seed + epoch)
        return sampler


def main() -> None:
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    own, settings = TrlParser((CoaArguments, GRPOConfig)).parse_args_and_config()
    samples = None if own.rollouts is None else Path(own.rollouts)
    trainer = CoaTrainer(
        model=own.model,
        reward_funcs=coa_reward,
        args=settings,
        train_dataset=load_tasks(own.tasks),
        processing_class=AutoTokenizer.from_pretrained(own.model),
        rollout_func=CoaRollouts(Environment(), Limits(), samples),
        callbacks=[MetricsFile(own.metrics_file)],
    )
    output = Path(settings.output_dir)
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(output)) if output.is_dir() else None)


if __name__ == "__main__":
    main()
