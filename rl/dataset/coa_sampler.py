"""verl's replay buffer that counts failed rollouts: too many of them stop the job instead of training on what is left.

A tool server that is down fails the trajectories that call tools. Those that don't are trained on, and the model learns
to call none: verl alone logs the failures and goes on. Settings (`trainer.v1.sampler.sampler_kwargs`): those of verl's
own buffer, and

    rollouts           of a prompt, as actor_rollout_ref.rollout.n
    rollouts_folder    for what was played, a file a step; none is kept where it is absent
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from typing import Any

import transfer_queue as tq
from coa_loop import FailuresFile, keep_rollouts
from verl.trainer.ppo.v1.replay_buffer import ReplayBuffer

ENOUGH = 32
"""Rollouts after which a share says something, before the step has all of its own."""
MAX_FAILED_SHARE = 0.1
"""Of a step's rollouts: all failures but unscored ones."""
MAX_UNSCORED_SHARE = 0.5
"""Of a step's rollouts: those without a verdict."""


class TooManyFailures(RuntimeError):
    """Ends the job."""


class CoaReplayBuffer(ReplayBuffer):
    def __init__(self, *args: Any, sampler_kwargs: Any, **kwargs: Any) -> None:
        settings = dict(sampler_kwargs)
        self.rollouts: int = settings.pop("rollouts")
        self.rollouts_folder: str | None = settings.pop("rollouts_folder", None)
        self.counts: Counter[str] = Counter()
        self.settled: set[str] = set()
        self.enough = ENOUGH
        self.failures = FailuresFile(os.environ.get("COA_RL_FAILURES"))
        super().__init__(*args, sampler_kwargs=sampler_kwargs, **settings, **kwargs)

    def sample(self, global_steps: int, partition_id: str, batch_size: int) -> tuple[Any, dict[str, Any]]:
        self.counts.clear()
        self.settled.clear()
        self.failures.begin_step()
        self.enough = min(ENOUGH, batch_size * self.rollouts)
        batch, metrics = super().sample(global_steps, partition_id, batch_size)
        if partition_id == "train":
            metrics = {**metrics, **self._measured(batch, metrics, global_steps)}
        return batch, metrics

    def _sync_metadata_from_transfer_queue(self) -> None:
        super()._sync_metadata_from_transfer_queue()
        self._count("train")
        if self.counts["rollouts"] >= self.enough:
            self._refuse_noise()

    def _count(self, partition_id: str) -> None:
        """Each group once, whether it is trained on, filtered out or replaced."""
        terminal = (self.finished_keys[partition_id] | self.failure_keys[partition_id]) - self.settled
        if not terminal:
            return
        sessions: dict[str, set[str]] = defaultdict(set)
        for key in self.partitions[partition_id]:
            uid, session = key.split("_")[:2]
            sessions[uid].add(session)
        for uid in terminal:
            self.counts["rollouts"] += self.rollouts
            self.counts["failed"] += self.rollouts - len(sessions[uid])
        self.settled |= terminal
        self.counts["unscored"] = min(self.failures.unscored(), self.counts["failed"])

    def _refuse_noise(self) -> None:
        rollouts, failed, unscored = (self.counts[name] for name in ("rollouts", "failed", "unscored"))
        limits = (
            ("failed", failed - unscored, MAX_FAILED_SHARE, False),
            ("got no verdict", unscored, MAX_UNSCORED_SHARE, True),
        )
        for what, count, most, is_unscored in limits:
            if count > most * rollouts:
                of = f"{count} of {rollouts} rollouts {what} (limit {most:.0%})"
                message = f"coa-distill: {of}; {self.failures.first(is_unscored)}"
                # Ray's own error is long: this line is found by whoever follows the job.
                print(message, flush=True)
                raise TooManyFailures(message)

    def _measured(self, batch: Any, metrics: dict[str, Any], step: int) -> dict[str, float]:
        """What verl doesn't log of a step: failures, mixed groups, pass rate, calls, parts of the reward.

        It keeps what was played, too: verl's own file has neither segments nor parts.
        """
        evicted = metrics.get("training/filter_groups/evicted_samples", 0)
        data = tq.kv_batch_get(
            keys=batch.keys, partition_id=batch.partition_id, select_fields=["rm_scores", "extra_fields"]
        )
        scores: dict[str, list[float]] = defaultdict(list)
        sums: Counter[str] = Counter()
        extras = [getattr(extra, "data", extra) for extra in data["extra_fields"]]
        for key, reward, extra in zip(batch.keys, data["rm_scores"], extras, strict=True):
            scores[key.split("_")[0]].append(float(reward.sum()))
            info = extra["reward_extra_info"]
            # A part that is not known is NaN.
            sums.update({name: value for name, value in info.items() if name != "score" and value == value})
        if self.rollouts_folder is not None:
            keep_rollouts(self.rollouts_folder, step, sorted(extras, key=lambda extra: extra["coa_task_id"]))
        count = len(batch.keys)
        mixed = sum(len(set(group)) > 1 for group in scores.values())
        return {
            "coa/rollouts": self.counts["rollouts"],
            "coa/failed": self.counts["failed"] - self.counts["unscored"],
            "coa/unscored": self.counts["unscored"],
            "coa/mixed_groups": mixed / (len(scores) + evicted),
            **{f"coa/{name}": total / count for name, total in sums.items()},
        }
