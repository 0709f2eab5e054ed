"""An environment of Prime Intellect's verifiers (0.4) over coa-distill's environment server.

Tasks stand beside this file, without gold answers. Everything else is asked of the server (`coa-distill serve rl`): what
comes after a generation, and what a trajectory is worth. A rollout that has no result is an error of its trace: verifiers
and prime-rl leave it out, it is never a reward of 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import verifiers.v1 as vf
from openai import AsyncOpenAI

from .coa_loop import Environment, RolloutFailure, Trajectory, holds_stop, steps_of, stops_of, verdict_on

__all__ = ["CoaEnv", "CoaHarness", "CoaTaskset"]

served: list[Environment] = []
"""The client of this process, once it is known where the server is."""


def environment() -> Environment:
    if not served:
        served.append(Environment())
    return served[0]


class CoaData(vf.TaskData):
    profile: str
    """Whose tools and layout the task is played with."""


class CoaTask(vf.Task[CoaData]):
    @property
    def key(self) -> str:
        return self.data.id or super().key

    @vf.reward
    async def reward(self, trace: vf.Trace) -> float:
        """The server's score. Its parts are metrics; one that is not known has no value."""
        verdict = await verdict_on(trace.info["coa"], environment())
        trace.metrics.update({f"part_{name}": value for name, value in verdict["parts"].items()})
        return float(verdict["score"])


class CoaTasksetConfig(vf.TasksetConfig):
    base_url: str | None = None
    """Address of `coa-distill serve rl`; by default that of COA_RL_URL. Its token is read from COA_RL_TOKEN."""
    split: Literal["train", "validation"] = "train"


class CoaTaskset(vf.Taskset[CoaTask, CoaTasksetConfig]):
    def __init__(self, config: CoaTasksetConfig) -> None:
        super().__init__(config)
        if config.base_url:
            served[:] = [Environment(config.base_url)]

    def load(self) -> Iterator[CoaTask]:
        files = sorted(Path(__file__).parent.glob(f"{self.config.split}*.jsonl"))
        if not files:
            raise ValueError(f"the package has no {self.config.split} tasks; dataset.validation_share makes both")
        for path in files:
            # Lines end at line feeds alone: a text may hold other separators.
            for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n"):
                row = json.loads(line)
                system, user = (turn["content"] for turn in row["prompt"])
                data = CoaData(id=row["task_id"], profile=row["profile"], system_prompt=system, prompt=user)
                yield CoaTask(data, self.config.task)


class CoaHarnessConfig(vf.HarnessConfig):
    pass


class CoaHarness(vf.Harness[CoaHarnessConfig]):
    """Plays in this process: the model calls no tool by itself, the server does at the end of a tool's tag."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: CoaData,
    ) -> vf.ProgramResult:
        system, user = self.resolve_prompt(data)
        prompt = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        described = await environment().describe()
        most = described["limits"]["max_response_tokens"]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None) as client:
            played = _Chat(client, ctx, prompt, stops_of(described, data.profile), most)
            reason, answer = await steps_of(played, data.id, environment())
        trace.info["coa"] = played.score_request(data.id, reason)
        trace.info["coa_answer"] = answer
        trace.record_metrics({"calls": played.calls, "events": played.events, "tool_seconds": played.tool_seconds})
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class _Chat(Trajectory):
    """A trajectory as a conversation: each step an assistant's turn, what the server says a user's.

    `coa_renderer.py` makes the one text of it that the model was trained on.
    """

    def __init__(
        self, client: AsyncOpenAI, ctx: vf.ModelContext, prompt: list[dict[str, str]], stops: list[str], most: int
    ) -> None:
        super().__init__(most)
        self.client, self.ctx, self.prompt, self.stops = client, ctx, prompt, stops
        self.turns: list[dict[str, str]] = []
        self.step_tokens = ctx.sampling.max_tokens
        self.prompt_tokens: int | None = None
        self.tokens = 0

    @property
    def response_tokens(self) -> int:
        return self.tokens

    def segments(self) -> list[dict[str, str]]:
        origins = {"assistant": "model", "user": "environment"}
        pieces = [{"origin": origins[turn["role"]], "text": turn["content"]} for turn in self.turns]
        return [piece for piece in pieces if piece["text"] or piece["origin"] == "model"]

    async def sample(self, most: int) -> str:
        if self.turns and self.turns[-1]["role"] == "assistant":
            # Sample on: a renderer takes sampled tokens as they are where a user's turn follows.
            self.turns.append({"role": "user", "content": ""})
        # What a run sets replaces what a request says, and is all that a training engine is told.
        self.ctx.sampling.stop = self.stops
        self.ctx.sampling.max_tokens = min(most, self.step_tokens or most)
        said = await self.client.chat.completions.create(model=self.ctx.model, messages=self.prompt + self.turns)
        choice, usage = said.choices[0], said.usage
        if usage is None:
            raise RolloutFailure("engine", "no_usage", "the endpoint does not say how many tokens it read and wrote")
        if self.prompt_tokens is None:
            self.prompt_tokens = usage.prompt_tokens
        self.tokens = usage.prompt_tokens + usage.completion_tokens - self.prompt_tokens
        text = choice.message.content or ""
        if choice.finish_reason != "length":
            text += _left_out(text, choice.model_extra or {}, self.stops)
        self.turns.append({"role": "assistant", "content": text})
        return "stop" if holds_stop(text, self.stops) else "length" if choice.finish_reason == "length" else "eos"

    def add_observation(self, text: str) -> bool:
        self.turns.append({"role": "user", "content": text})
        return True


def _left_out(text: str, said: dict[str, Any], stops: list[str]) -> str:
    """The stop text that OpenAI's protocol leaves out: as the server names it, else that of the tag left open."""
    if holds_stop(text, stops):
        return ""
    named = [said[key] for key in ("stop_reason", "matched_stop") if key in said]
    opened = [f"</{tag}>" for tag in re.findall(r"<(\w+)>", text)[-1:]]
    return next((stop for stop in named or opened if stop in stops), "")


class CoaEnvConfig(vf.EnvConfig):
    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class CoaEnv(vf.Env[CoaEnvConfig]):
    async def start(self) -> None:
        """Fails before the first rollout where the server is not there."""
        try:
            once = Environment(environment().url, retries=0)
            await once.describe()
            await once.close()
        except RolloutFailure as failure:
            raise SystemExit(f"{failure}\nStart it with: coa-distill serve rl RUN") from None

    async def stop(self) -> None:
        for client in served:
            await client.close()

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        await agents.agent.run(task)
