"""One Chain-of-Agents rollout: a model samples, and coa-distill's environment server says what comes next.

`coa_agent_loop.py` plays it in verl, `trl_grpo.py` in TRL, `coa_verifiers.py` as an
environment of verifiers. Layout, tools, judging and rewards stand in the server (`coa-distill serve rl`); here stands
only what concerns tokens. What was sampled stays as it was sampled, never decoded and encoded again: mask 1. What the
server appends is encoded once: mask 0.

The server's address comes from COA_RL_URL, its token, where it wants one, from COA_RL_TOKEN.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp


class RolloutFailure(RuntimeError):
    """A rollout without a result that is not the model's doing. It must be left out, never taken for a wrong one."""

    def __init__(self, kind: str, cause: str, message: str) -> None:
        super().__init__(f"{kind} ({cause}): {message}")
        self.kind, self.cause, self.message = kind, cause, message


@dataclass(frozen=True)
class Sampled:
    """What an engine sampled in one generation, the token that ended it included."""

    token_ids: list[int]
    logprobs: list[float] | None = None
    stop_reason: str | None = None
    """As the engine says it; of interest is only whether it gave the generation up."""


Sampler = Callable[[list[int], list[str], int], Awaitable[Sampled]]
"""Samples behind some ids until a stop text, the end of the turn, or so many tokens."""


@dataclass(frozen=True)
class Piece:
    """A stretch of the response: one generation, or what the environment put behind it."""

    origin: str
    token_ids: list[int]
    text: str


@dataclass
class Rollout:
    """A finished trajectory as trainers take it. `mask` and `logprobs` are as long as `response_ids`."""

    prompt_ids: list[int]
    response_ids: list[int]
    mask: list[int]
    logprobs: list[float]
    pieces: list[Piece]
    end_reason: str
    answer: str | None
    score: float
    parts: dict[str, float | None]
    generations: int
    calls: int
    tool_seconds: float
    events: int


class Environment:
    """A client of `coa-distill serve rl`. Answers that may come later are asked for again, then it is a failure."""

    def __init__(self, url: str | None = None, retries: int = 5, timeout_s: float = 900, pause_s: float = 1) -> None:
        address = url or os.environ.get("COA_RL_URL")
        if not address:
            raise RolloutFailure("environment", "no_address", "set COA_RL_URL to the address of `coa-distill serve rl`")
        self.url, self.retries, self.pause_s = address.rstrip("/"), retries, pause_s
        self.timeout = aiohttp.ClientTimeout(total=timeout_s, connect=60)
        self.described: dict[str, Any] | None = None
        self.describing: asyncio.Future[dict[str, Any]] | None = None
        self.session: aiohttp.ClientSession | None = None
        self.session_loop: asyncio.AbstractEventLoop | None = None
        self.name, self.numbers = uuid4().hex, count()

    async def describe(self) -> dict[str, Any]:
        """Stop texts by profile, limits, rewards; asked once, however many rollouts begin at the same moment."""
        if self.described is None:
            if self.describing is None or self.describing.done():
                self.describing = asyncio.ensure_future(self._ask("environment", "GET", "/v1/environment", None))
            # A rollout that is cancelled does not take the answer from the others.
            self.described = await asyncio.shield(self.describing)
        return self.described

    async def next(self, body: dict[str, Any]) -> dict[str, Any]:
        return await self._ask("tool", "POST", "/v1/next", body)

    async def score(self, body: dict[str, Any]) -> dict[str, Any]:
        return await self._ask("environment", "POST", "/v1/score", body)

    async def close(self) -> None:
        if self.session is not None:
            await self.session.close()
        self.session = None

    async def _ask(self, kind: str, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        for attempt in range(self.retries + 1):
            try:
                return await self._ask_once(kind, method, path, body)
            except _Later as later:
                if attempt == self.retries:
                    raise later.failure from None
            # Many trajectories wait for the same server: not all at the same moment again.
            await asyncio.sleep(self.pause_s * 2**attempt * (0.5 + random.random()))
        raise AssertionError("not reached")

    async def _ask_once(self, kind: str, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        token = os.environ.get("COA_RL_TOKEN")
        headers = {"x-request-id": f"{self.name}.{next(self.numbers)}"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        try:
            async with self._open().request(method, self.url + path, json=body, headers=headers) as answer:
                if self._is_to_another(answer, headers["x-request-id"]):
                    # The answers behind it on this connection would belong to other requests too.
                    answer.close()
                    raise _Later(RolloutFailure(kind, "crossed", f"{self.url}{path} answered another request"))
                text = await answer.text(errors="replace")
                status = answer.status
        except asyncio.TimeoutError:
            raise _Later(RolloutFailure(kind, "timeout", f"{self.url}{path} gave no answer in time")) from None
        except aiohttp.ClientError as error:
            raise _Later(RolloutFailure(kind, "unreachable", f"{self.url}{path}: {error}")) from None
        if status == 200:
            return _parsed(kind, path, text)
        failure, retryable = _fault(kind, status, text)
        raise _Later(failure) if retryable else failure

    def _is_to_another(self, answer: aiohttp.ClientResponse, asked: str) -> bool:
        """The server repeats the id of a request; a proxy may put its own in place."""
        told = answer.headers.get("x-request-id", asked)
        return told != asked and told.startswith(f"{self.name}.")

    def _open(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self.session is None or self.session_loop is not loop:
            # By default aiohttp keeps all but 100 requests waiting.
            self.session = aiohttp.ClientSession(timeout=self.timeout, connector=aiohttp.TCPConnector(limit=0))
            self.session_loop = loop
        return self.session


class _Later(Exception):
    """The same request may succeed later."""

    def __init__(self, failure: RolloutFailure) -> None:
        self.failure = failure


def _parsed(kind: str, path: str, text: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise RolloutFailure(kind, "bad_answer", f"the answer of {path} is not a JSON object: {text[:200]}")
    return answer


def _fault(kind: str, status: int, text: str) -> tuple[RolloutFailure, bool]:
    try:
        error = json.loads(text)["error"]
        return RolloutFailure(kind, str(error["cause"]), str(error["message"])), bool(error["retryable"])
    except (ValueError, KeyError, TypeError):
        # A proxy in between, or no server of ours.
        return RolloutFailure(kind, f"status_{status}", text[:200]), status >= 500 or status == 429


class Trajectory(ABC):
    """A trajectory while it is played: what `steps_of` needs of whoever samples it."""

    def __init__(self, max_response_tokens: int) -> None:
        self.max_response_tokens = max_response_tokens
        self.calls = self.events = 0
        self.tool_seconds = 0.0

    @property
    @abstractmethod
    def response_tokens(self) -> int:
        """Tokens behind the prompt, observations included."""

    @abstractmethod
    def segments(self) -> list[dict[str, str]]:
        """What was sampled and observed so far, in order."""

    @abstractmethod
    async def sample(self, most: int) -> str:
        """Adds a generation of at most so many tokens. Returns why it ended: `stop`, `length` or `eos`."""

    @abstractmethod
    def add_observation(self, text: str) -> bool:
        """Appends what the environment says; False where it would not leave room for a single token more."""

    @property
    def room(self) -> int:
        return self.max_response_tokens - self.response_tokens

    def score_request(self, task_id: str, end_reason: str) -> dict[str, Any]:
        return {
            "task_id": task_id,
            "segments": self.segments(),
            "end_reason": end_reason,
            "response_tokens": self.response_tokens,
            "max_response_tokens": self.max_response_tokens,
        }


async def steps_of(
    played: Trajectory, task_id: str, environment: Environment, now: Callable[[], float] = time.monotonic
) -> tuple[str, str | None]:
    """Samples and observes up to the end. Returns its reason, and the answer."""
    limits = (await environment.describe())["limits"]
    ends_at = now() + limits["max_seconds"]
    while played.room > 0:
        if now() > ends_at:
            return "time", None
        finish = await played.sample(min(played.room, limits["max_step_tokens"]))
        if played.room < 0:
            # Of a chat's observation nobody knows before how many tokens it has.
            break
        asked_at = now()
        step = await environment.next({"task_id": task_id, "segments": played.segments(), "finish_reason": finish})
        played.events += len(step.get("events", []))
        if step["kind"] == "end":
            return step["reason"], step["answer"]
        if step["kind"] not in ("observation", "continue"):
            raise RolloutFailure("environment", "bad_answer", f"/v1/next answers {step['kind']}: another version?")
        if step["kind"] == "observation":
            played.tool_seconds += now() - asked_at
            played.calls += 1
            if not played.add_observation(step["text"]):
                break
    return "length", None


async def verdict_on(request: dict[str, Any], environment: Environment) -> dict[str, Any]:
    """What a trajectory is worth, all parts of it. Raises `RolloutFailure` where there is no verdict."""
    verdict = await environment.score(request)
    if verdict["score"] is None:
        why = verdict["unscored"] or {"cause": "unknown", "message": "no verdict"}
        raise RolloutFailure("unscored", why["cause"], why["message"])
    return verdict


async def play(
    *,
    task_id: str,
    profile: str | None,
    prompt_ids: Sequence[int],
    sample: Sampler,
    environment: Environment,
    tokenizer: Any,
    max_response_tokens: int,
    now: Callable[[], float] = time.monotonic,
) -> Rollout:
    """Plays one trajectory to its end and has it scored. Raises `RolloutFailure` where there is no result."""
    described = await environment.describe()
    most = min(max_response_tokens, described["limits"]["max_response_tokens"])
    played = _Tokens(tokenizer, list(prompt_ids), sample, stops_of(described, profile), most)
    reason, answer = await steps_of(played, task_id, environment, now)
    verdict = await verdict_on(played.score_request(task_id, reason), environment)
    return Rollout(
        prompt_ids=played.prompt_ids,
        response_ids=played.response_ids,
        mask=played.mask,
        logprobs=played.logprobs,
        pieces=played.pieces,
        end_reason=reason,
        answer=answer,
        score=float(verdict["score"]),
        parts=dict(verdict["parts"]),
        generations=sum(piece.origin == "model" for piece in played.pieces),
        calls=played.calls,
        tool_seconds=played.tool_seconds,
        events=played.events,
    )


ABORTED = ("abort", "aborted")
"""Stop reasons of engines that gave a generation up, as vLLM and SGLang name them, and as verl does."""


class _Tokens(Trajectory):
    """A trajectory as the tokens that an engine sampled."""

    def __init__(
        self, tokenizer: Any, prompt_ids: list[int], sampler: Sampler, stops: list[str], max_response_tokens: int
    ) -> None:
        super().__init__(max_response_tokens)
        self.tokenizer, self.prompt_ids, self.sampler, self.stops = tokenizer, prompt_ids, sampler, stops
        self.response_ids: list[int] = []
        self.mask: list[int] = []
        self.logprobs: list[float] = []
        self.pieces: list[Piece] = []

    @property
    def response_tokens(self) -> int:
        return len(self.response_ids)

    def segments(self) -> list[dict[str, str]]:
        return segments_of(self.pieces)

    async def sample(self, most: int) -> str:
        """Takes a generation as it was sampled."""
        stops = self.stops
        sampled = await self.sampler(self.prompt_ids + self.response_ids, stops, most)
        ids = list(sampled.token_ids)
        gave_up = sampled.stop_reason in ABORTED
        if not ids and not gave_up:
            raise RolloutFailure("engine", "no_tokens", "the engine sampled nothing")
        if len(ids) > most:
            raise RolloutFailure("engine", "too_many_tokens", f"{len(ids)} tokens were sampled, {most} asked for")
        logprobs = sampled.logprobs or [0.0] * len(ids)
        if len(logprobs) != len(ids):
            raise RolloutFailure("engine", "logprobs", f"{len(ids)} tokens have {len(logprobs)} log-probabilities")
        ended = not end_ids(self.tokenizer).isdisjoint(ids[-1:])
        # The text is for the server; the token that ends a turn is no text.
        text = self._text(ids[:-1] if ended else ids)
        if holds_stop(self._text(ids[:-1]), stops):
            raise RolloutFailure(
                "engine", "ignores_stops", "it sampled on behind a stop text; SGLang needs skip_tokenizer_init=false"
            )
        finish = "eos" if ended else "stop" if holds_stop(text, stops) else "length"
        if gave_up and finish == "length" and len(ids) < most:
            raise RolloutFailure("engine", "aborted", f"it gave a generation up after {len(ids)} tokens")
        self._add("model", ids, 1, logprobs, text)
        return finish

    def add_observation(self, text: str) -> bool:
        ids = observation_ids(self.tokenizer, text)
        if len(ids) >= self.room:
            return False
        self._add("environment", ids, 0, [0.0] * len(ids), text)
        return True

    def _add(self, origin: str, ids: list[int], mask: int, logprobs: list[float], text: str) -> None:
        self.response_ids += ids
        self.mask += [mask] * len(ids)
        self.logprobs += logprobs
        self.pieces.append(Piece(origin, ids, text))

    def _text(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)


def observation_ids(tokenizer: Any, text: str) -> list[int]:
    ids = tokenizer.encode(text, add_special_tokens=False)
    control = set(ids) & set(tokenizer.all_special_ids)
    if control:
        names = ", ".join(tokenizer.convert_ids_to_tokens(sorted(control)))
        raise RolloutFailure("environment", "control_token", f"what a tool said holds {names}")
    return ids


def holds_stop(text: str, stops: Sequence[str]) -> bool:
    return any(stop in text for stop in stops)


def end_ids(tokenizer: Any) -> set[int]:
    """Qwen's base models end a text with one token, its chat markup a turn with another."""
    names = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>")
    known = {tokenizer.convert_tokens_to_ids(name) for name in names}
    return ({tokenizer.eos_token_id} | known) - {None, tokenizer.unk_token_id}


def stops_of(described: dict[str, Any], profile: str | None) -> list[str]:
    """Of the row's profile; those of all where it names none: at a foreign tag the server says to sample on."""
    profiles = described["profiles"]
    if profile is not None:
        if profile not in profiles:
            raise RolloutFailure("environment", "unknown_profile", f"the server has no profile {profile}")
        return list(profiles[profile]["stop"])
    return sorted({stop for known in profiles.values() for stop in known["stop"]})


def note_failure(failure: RolloutFailure, task_id: str, step: int | None) -> None:
    """Appends a line to the file of COA_RL_FAILURES, where that is set: what the trainer itself only logs."""
    path = os.environ.get("COA_RL_FAILURES")
    if not path:
        return
    line = {
        "time": time.time(),
        "step": step,
        "task_id": task_id,
        "kind": failure.kind,
        "cause": failure.cause,
        "message": failure.message[:500],
    }
    # One write of one line: lines of several processes don't mix.
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def segments_of(pieces: Sequence[Piece]) -> list[dict[str, str]]:
    """What was sampled and observed, without its tokens."""
    return [{"origin": piece.origin, "text": piece.text} for piece in pieces]


def keep_rollouts(folder: str | Path, step: int, rollouts: Iterable[Mapping[str, Any]]) -> None:
    """Writes what was played at a step, a rollout a line, from what a trainer carries along of each."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with open(Path(folder) / f"{step}.jsonl", "w", encoding="utf-8") as file:
        for rollout in rollouts:
            kept = {name: rollout[f"coa_{name}"] for name in ("task_id", "segments", "score", "parts", "end")}
            file.write(json.dumps({"step": step, **kept}) + "\n")


class FailuresFile:
    """What the agent loops noted of the step at hand; those of other machines only where they share the folder."""

    def __init__(self, path: str | None) -> None:
        self.path, self.read_at = path, 0
        self.lines: list[dict[str, Any]] = []

    def begin_step(self) -> None:
        self._read()
        self.lines = []

    def unscored(self) -> int:
        self._read()
        return sum(line["kind"] == "unscored" for line in self.lines)

    def first(self, is_unscored: bool) -> str:
        line = next((line for line in self.lines if (line["kind"] == "unscored") == is_unscored), None)
        if line is None:
            return "their causes are in the log of the agent loops"
        return f"the first: {line['kind']} ({line['cause']}): {line['message']}"

    def _read(self) -> None:
        if not self.path or not os.path.exists(self.path):
            return
        with open(self.path, "rb") as file:
            file.seek(self.read_at)
            whole = file.read().rpartition(b"\n")[0]
        self.read_at += len(whole) + 1 if whole else 0
        for line in whole.splitlines():
            try:
                self.lines.append(json.loads(line))
            except ValueError:
                # One that was cut off, by a full disk or a kill: the rollout was counted by verl itself.
                continue
